import { spawn } from 'node:child_process'
import { readdir, rm, stat } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { findExpiredBackups } from '@muster/rules/schedules/backup-retention'
import type { Context } from '../../context.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import { everyDay } from '../../platform/jobs/schedule.ts'
import { readBackupState, writeBackupState } from './backup-state.ts'

export const BACKUP_JOB = 'backups.run'

const PROGRAM = join(import.meta.dirname, '../../backup.ts')
const MAX_MESSAGE = 2000
// The server goes first. A lower priority than this never gets its turn on a busy machine.
const NICENESS = 5
const MAX_BACKUP_MS = 24 * 3_600_000
/** The day, the time, the number of a further one of that second. */
const FILE = /^muster-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(?:-(\d+))?\.backup(\.partial)?$/

type Scheduled = NonNullable<Config['backups']>

/** Only on servers with a folder for backups. A failed backup is tried again at the next time of day. */
export function backupsJobs(ctx: Context): Job[] {
  const { backups } = ctx.config
  if (backups === undefined) return []
  // One at a time: each reads the whole database.
  let previous = Promise.resolve()
  return [
    {
      name: BACKUP_JOB,
      schedule: everyDay(backups.time),
      maxAttempts: 3,
      run: (_, signal) => {
        const run = previous.then(() => runBackup(ctx, backups, signal))
        previous = run.catch(() => undefined)
        return run
      },
    },
  ]
}

async function runBackup(ctx: Context, backups: Scheduled, signal: AbortSignal): Promise<void> {
  const started = ctx.now()
  const result = await runProgram(ctx.config, await chooseFile(backups, started), signal)
  signal.throwIfAborted()
  if (result.ok) await deleteExpired(backups, ctx)
  else ctx.log.error({ reason: result.message }, 'a scheduled backup failed')
  await ctx.transaction(async (tx, emit) => {
    const { last_success } = await readBackupState(tx)
    const [started_at, finished_at] = [started.toISOString(), ctx.now().toISOString()]
    await writeBackupState(tx, {
      last: { started_at, finished_at, ...result },
      last_success: result.ok ? finished_at : last_success,
    })
    emit({ type: 'settings.changed', ids: ['backups'] })
  })
}

/** A second backup of one second, or one after what a killed one left, gets a number behind the highest that is there. */
async function chooseFile(backups: Scheduled, started: Date): Promise<string> {
  const time = started.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  // The program makes a folder that is missing, or says why it cannot.
  const others = await listBackups(backups).catch(() => [])
  const same = others.filter(({ name }) => name.startsWith(`muster-${time}`))
  const number = 1 + Math.max(0, ...same.map((backup) => backup.number))
  return join(backups.folder, `muster-${time}${number === 1 ? '' : `-${number}`}.backup`)
}

/** A process of its own with a lower priority: reading and encrypting everything would block this one. */
async function runProgram(
  config: Config,
  path: string,
  signal: AbortSignal,
): Promise<{ ok: boolean; message: string }> {
  const child = spawn(process.execPath, [PROGRAM, path], {
    env: { ...process.env, ...environmentOf(config) },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  })
  let message = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      message = (message + text).slice(-MAX_MESSAGE)
    })
  const { promise, resolve } = Promise.withResolvers<boolean>()
  child.once('error', (error) => {
    message ||= error.message
    resolve(false)
  })
  child.once('close', (code) => resolve(code === 0))
  if (child.pid !== undefined) lowerPriority(child.pid)
  const ok = await promise
  return { ok, message: message.trim().replace(/^muster: /, '') || 'The backup was ended by a signal.' }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, NICENESS)
  } catch {
    // It has ended already.
  }
}

function environmentOf({
  dataFolder,
  databaseUrl,
  tls,
  backups,
  backupPassphrase,
}: Config): NodeJS.ProcessEnv {
  return {
    MUSTER_DATA: dataFolder,
    DATABASE_URL: databaseUrl ?? '',
    MUSTER_TLS_CERT: tls?.certFile ?? '',
    MUSTER_TLS_KEY: tls?.keyFile ?? '',
    MUSTER_BACKUP_FOLDER: backups?.folder ?? '',
    MUSTER_BACKUP_PASSPHRASE: backupPassphrase ?? '',
  }
}

/** The backups in the folder, newest first. Files with other names are none. */
export async function listBackups({
  folder,
}: Pick<Scheduled, 'folder'>): Promise<
  { name: string; at: Date; number: number; bytes: number; isPartial: boolean }[]
> {
  const found = []
  for (const name of await readdir(folder)) {
    const [, year, month, day, hour, minute, second, number = '1', partial] = FILE.exec(name) ?? []
    if (year === undefined) continue
    const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
    const size = (await stat(join(folder, name)).catch(() => undefined))?.size
    if (size === undefined || Number.isNaN(at.getTime())) continue
    found.push({ name, at, number: Number(number), bytes: size, isPartial: partial !== undefined })
  }
  return found.toSorted((one, other) => other.at.getTime() - one.at.getTime() || other.number - one.number)
}

/** Also removes what killed backups left, once no other process can still be writing it. */
async function deleteExpired(backups: Scheduled, { log, now }: Pick<Context, 'log' | 'now'>): Promise<void> {
  try {
    const all = await listBackups(backups)
    const whole = all.filter(({ isPartial }) => !isPartial)
    const expired = findExpiredBackups(whole, backups)
    const oldest = now().getTime() - MAX_BACKUP_MS
    const left = all.filter(({ isPartial, at }) => isPartial && at.getTime() < oldest)
    for (const { name } of [...expired, ...left]) await rm(join(backups.folder, name), { force: true })
  } catch (error) {
    log.warn({ err: error, folder: backups.folder }, 'old backups could not be deleted')
  }
}
