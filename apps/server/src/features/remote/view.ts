import type { RemoteSession } from '@muster/contract/api/remote'
import type { SessionRow } from './queries.ts'
import type { RecordingRow } from './recording-queries.ts'

export function viewSession(
  row: Omit<SessionRow, 'hostname' | 'joined_username'>,
  { parts, changes }: { parts: readonly RecordingRow[]; changes: number | undefined },
): RemoteSession {
  return {
    id: row.id,
    tool: row.tool,
    joined_session: row.joined_session,
    username: row.username,
    purpose: row.purpose,
    ip_address: row.ip_address,
    started_at: row.started_at,
    ended_at: row.ended_at,
    exit_code: row.exit_code,
    reason: row.reason,
    receipt: changes === undefined ? null : { changes },
    recording:
      parts.length === 0
        ? null
        : {
            bytes: parts.reduce((sum, { bytes }) => sum + Number(bytes), 0),
            problem: parts.find(({ problem }) => problem !== null)?.problem ?? null,
          },
  }
}
