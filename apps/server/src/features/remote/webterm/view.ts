import type { WebTermSession } from '@muster/contract/api/webterm'
import type { WebTerminalRow } from './queries.ts'

export function viewWebTerminal(row: WebTerminalRow): WebTermSession {
  const { recorded, recording_bytes, recording_problem } = row
  return {
    id: row.id,
    tool: 'terminal',
    host: row.host,
    username: row.username,
    ip_address: row.ip_address,
    started_at: row.started_at,
    ended_at: row.ended_at,
    exit_code: row.exit_code,
    reason: row.reason,
    receipt: null,
    recording: recorded === 1 ? { bytes: Number(recording_bytes), problem: recording_problem } : null,
  }
}
