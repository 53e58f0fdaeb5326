import { hostname } from 'node:os'
import type { Event } from '@muster/contract/events'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import { audit } from '../../audit/write-audit.ts'
import { formatSeconds } from '../tool-text.ts'
import { killRemaining } from './kill-remaining.ts'
import { closeWebTerminal, listLostWebTerminals, type WebTerminalRow } from './queries.ts'

interface Writing {
  ctx: Context
  tx: Db
  emit: (event: Event) => void
}

interface Ending {
  exitCode: number | null
  reason: string
}

type Ended = Pick<WebTerminalRow, 'id' | 'host' | 'username' | 'ip_address' | 'started_at'>

/** Records the end of a shell of the server and its duration. */
export async function writeWebTerminalEnd(
  { ctx, tx, emit }: Writing,
  row: Ended,
  { exitCode, reason }: Ending,
): Promise<void> {
  const now = ctx.now()
  const isFirst = await closeWebTerminal(tx, row.id, {
    ended_at: now.toISOString(),
    exit_code: exitCode,
    reason,
  })
  if (!isFirst) return
  const seconds = Math.round((now.getTime() - Date.parse(row.started_at)) / 1000)
  await audit(tx, {
    caller: { username: row.username, source: row.ip_address },
    action: 'remote_session',
    object_type: 'webterminal',
    message: `Ended the web terminal on "${row.host}" after ${formatSeconds(seconds)}`,
    after: { session: row.id, seconds, exit_code: exitCode, reason },
    at: now,
    emit,
  })
}

/** Shells of killed server processes: the system has sent them SIGHUP, and those that ignored it are killed now. */
export async function endLostWebTerminals(ctx: Context): Promise<void> {
  const lost = await listLostWebTerminals(ctx.db)
  if (lost.length === 0) return
  for (const { id, host } of lost) if (host === hostname()) await killRemaining(id)
  const reason = 'The server process was killed, and the shell with it.'
  await ctx.transaction(async (tx, emit) => {
    for (const row of lost) await writeWebTerminalEnd({ ctx, tx, emit }, row, { exitCode: null, reason })
  })
}
