import type { AgentHistory } from '@muster/contract/api/history'
import { expect, test } from 'vitest'
import { historyTable, searchRuns } from './history-list.ts'

const RUN: AgentHistory = {
  id: 1,
  agent_id: 'alpha0000000',
  time: '2026-11-21T10:00:00.000Z',
  type: 'cmd_run',
  state: 'done',
  reason: null,
  command: 'systemctl restart Nginx',
  script: null,
  script_name: null,
  shell: 'bash',
  args: [],
  username: 'ada',
  run_as_user: null,
  timeout: 30,
  expires_at: '2026-11-21T11:00:00.000Z',
  started_at: '2026-11-21T10:00:00.000Z',
  finished_at: '2026-11-21T10:00:01.000Z',
  retcode: 3,
  execution_time: 1.5,
  output_bytes: 0,
  output_cut_bytes: 0,
}
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

test('the file has what the table shows', () => {
  expect(historyTable([RUN, SCRIPT]).slice(1)).toEqual([
    ['2026-11-21T10:00:00.000Z', 'Command', 'systemctl restart Nginx', 'ada', 'exit code 3', '3', '1.5'],
    ['2026-11-21T10:00:00.000Z', 'Script', 'Clean up /tmp', 'ben', 'waiting', '', ''],
  ])
})
