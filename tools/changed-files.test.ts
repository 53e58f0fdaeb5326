import { expect, test } from 'vitest'
import { findStories } from './changed-files.ts'

const STORIES = [
  'alert-causes',
  'alerts',
  'api-keys',
  'main-job',
  'policies',
  'processes',
  'terminal',
  'two-processes',
]

test.each([
  ['apps/server/src/features/alerts/raise-alert.ts', ['alert-causes', 'alerts', 'main-job']],
  ['apps/console/src/features/users/api-keys/KeyDialog.tsx', ['api-keys', 'main-job']],
  ['packages/contract/src/api/policies.ts', ['main-job', 'policies']],
  ['apps/agent/src/remote/terminal/pty.test.ts', ['main-job', 'terminal']],
  ['apps/agent/src/os/linux/process-tools.ts', ['main-job']],
  ['packages/rules/src/remote/processes.ts', ['main-job', 'processes', 'two-processes']],
  ['apps/console/src/Splash.tsx', ['main-job']],
  ['e2e/stories/terminal.story.ts', ['terminal']],
  ['e2e/stories/removed.story.ts', []],
  ['docs/api.md', []],
])('a change of %s runs the stories %j', (path, expected) => {
  expect(findStories([path], STORIES)).toEqual(expected)
})

test('each story runs once, however many of its files changed', () => {
  const paths = ['apps/server/src/features/policies/a.ts', 'apps/server/src/features/policies/b.ts']
  expect(findStories(paths, STORIES)).toEqual(['main-job', 'policies'])
})
