import type { AgentHistory } from '@muster/contract/api/runs'
import { expect, test } from 'vitest'
import { historyTable, searchRuns } from './history-list.ts'
import { testRun } from './test-run.ts'

const RUN = testRun({
  state: 'done',
  command: 'systemctl restart Nginx',
  started_at: '2026-11-21T10:00:00.000Z',
  finished_at: '2026-11-21T10:00:01.000Z',
  retcode: 3,
  execution_time: 1.5,
})
const SCRIPT: AgentHistory = {
  ...RUN,
  id: 2,
  type: 'script_run',
  state: 'queued',
  command: 'Clean up',
  script: 4,
  script_name: 'Clean up',
  args: ['/tmp'],
  username: 'ben',
  retcode: null,
  execution_time: null,
}

test.each([
  ['', [1, 2]],
  ['nginx', [1]],
  ['NGINX ada', [1]],
  ['nginx ben', []],
  ['script', [2]],
  ['/tmp waiting', [2]],
  ['exit code 3', [1]],
])('all words of a search count: "%s"', (search, ids) => {
  expect(searchRuns([RUN, SCRIPT], search).map(({ id }) => id)).toEqual(ids)
})

test('the file has the columns of the table', () => {
  expect(historyTable([RUN, SCRIPT]).slice(1)).toEqual([
    ['2026-11-21T10:00:00.000Z', 'Command', 'systemctl restart Nginx', 'ada', 'exit code 3', '3', '1.5'],
    ['2026-11-21T10:00:00.000Z', 'Script', 'Clean up /tmp', 'ben', 'waiting', '', ''],
  ])
})
