import type { AgentHistory } from '@muster/contract/api/runs'

/** A run for tests: a command that the machine has not received yet. */
export function testRun(more: Partial<AgentHistory> = {}): AgentHistory {
  return {
    id: 1,
    agent_id: 'alpha0000000',
    time: '2026-11-21T10:00:00.000Z',
    type: 'cmd_run',
    state: 'queued',
    reason: null,
    command: 'true',
    script: null,
    script_name: null,
    shell: 'bash',
    args: [],
    username: 'ada',
    job: null,
    run_as_user: null,
    timeout: 30,
    expires_at: '2026-11-21T11:00:00.000Z',
    started_at: null,
    finished_at: null,
    retcode: null,
    execution_time: null,
    output_bytes: 0,
    output_cut_bytes: 0,
    ...more,
  }
}
