import { hostname } from 'node:os'
import type { Event } from '@muster/contract/events'
import { readdir, readFile } from 'node:fs/promises'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import { audit } from '../../audit/write-audit.ts'
import { formatSeconds } from '../tool-text.ts'
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

const AGAIN_MS = 50
/** Maximum repetitions, for a program that starts new processes as fast as they are killed. */
const MAX_ROUNDS = 20

/** An environment variable that marks the processes of a web terminal, which are found by it. */
export const markOf = (session: string) => ({ WEBTERM_SESSION: session })

/** Kills processes that a web terminal's shell has left running on this host, also in their own groups. Linux only. */
export async function killRemaining(session: string): Promise<void> {
  if (process.platform !== 'linux') return
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const left = await findMarked(`\0WEBTERM_SESSION=${session}\0`)
    if (left.length === 0) return
    for (const pid of left) kill(pid)
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
  }
}

async function findMarked(mark: string): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0)
  const found = await Promise.all(pids.map(async (pid) => (await environmentOf(pid)).includes(mark)))
  return pids.filter((_, index) => found[index])
}

async function environmentOf(pid: number): Promise<string> {
  try {
    return `\0${await readFile(`/proc/${pid}/environ`, 'latin1')}`
  } catch {
    // It has ended, or belongs to another user.
    return ''
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It has just ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
