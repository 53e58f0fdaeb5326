import type { AgentHistory, AgentHistoryResult } from '@muster/contract/api/runs'
import type { HistoryListRow } from './queries.ts'

export function viewHistory(row: HistoryListRow): AgentHistory {
  return {
    id: row.id,
    agent_id: row.agent_id,
    time: row.time,
    type: row.type,
    state: row.state,
    reason: row.reason,
    command: row.command,
    script: row.script_id,
    script_name: row.script_name,
    shell: row.shell,
    // Written by create-run.ts as a list of strings.
    args: JSON.parse(row.args) as string[],
    username: row.username,
    run_as_user: row.run_as_user,
    timeout: row.timeout_seconds,
    expires_at: row.expires_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
    retcode: row.retcode,
    execution_time: row.execution_time,
    output_bytes: row.output_bytes,
    output_cut_bytes: row.output_cut_bytes,
  }
}

export function viewResult(
  row: HistoryListRow,
  chunks: { stream: 'stdout' | 'stderr'; text: string }[],
): AgentHistoryResult {
  const textOf = (stream: 'stdout' | 'stderr') =>
    chunks
      .filter((chunk) => chunk.stream === stream)
      .map(({ text }) => text)
      .join('')
  return { ...viewHistory(row), stdout: textOf('stdout'), stderr: textOf('stderr') }
}
