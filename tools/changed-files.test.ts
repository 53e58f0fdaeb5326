import { expect, test } from 'vitest'
import { findStories, findTests, isCommit } from './changed-files.ts'

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

const TESTS = [
  'apps/console/src/features/alerts/AlertDialog.test.tsx',
  'apps/console/src/ui/table/Table.test.tsx',
  'apps/server/src/features/alerts/alerts.test.ts',
  'apps/server/src/features/alerts/templates/actions.test.ts',
  'apps/server/src/features/policies/policies.test.ts',
  'apps/server/src/platform/http/idempotency.test.ts',
  'apps/server/src/walk.test.ts',
]

test.each([
  ['apps/server/src/features/alerts/templates/routes.ts', ['alerts/templates/actions']],
  ['apps/server/src/features/alerts/raise-alert.ts', ['alerts/alerts', 'alerts/templates/actions']],
  ['apps/server/src/features/alerts/push/send.ts', ['alerts/alerts', 'alerts/templates/actions']],
  ['apps/console/src/ui/Badge.tsx', ['table/Table']],
  ['apps/server/src/app.ts', ['walk']],
  ['apps/server/src/features/notes/routes.ts', []],
  ['packages/rules/src/policies/merge.ts', ['policies/policies']],
  ['apps/agent/src/link/link.ts', []],
])('a change of %s runs the tests %j of the server and the console', (path, expected) => {
  const found = findTests([path], TESTS)
  expect(found).toHaveLength(expected.length)
  for (const part of expected) expect(found).toContainEqual(expect.stringContaining(`/${part}.test.`))
})

test('only names of commits are commits', () => {
  expect([isCommit('HEAD'), isCommit('no-such-commit'), isCommit('--all')]).toEqual([true, false, false])
})
