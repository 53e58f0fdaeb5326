import { readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Context } from '../../context.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import { everyDay } from '../../platform/jobs/schedule.ts'
import { readCoreSettings } from '../../platform/config/core-settings.ts'
import { findWebTerminalRecordings, markRecordingsDeleted } from './webterm/queries.ts'
import { deleteSessionChangesBefore } from './session-changes.ts'
import { deleteRecordingsBefore, findRecordingIds } from './recording-queries.ts'
import { recordingPath } from './recordings.ts'

const DAY_MS = 86_400_000
/** A file exists shortly before its row. */
const YOUNG_MS = 3_600_000
const SLICE = 500

export function remoteJobs(ctx: Context): Job[] {
  return [{ name: 'remote.prune-recordings', schedule: everyDay('03:50'), run: () => pruneRecordings(ctx) }]
}

/** Deletes expired recordings and session changes, and files without a row. */
export async function pruneRecordings(ctx: Context): Promise<void> {
  const { recording_keep_days: days } = await readCoreSettings(ctx.db)
  const before = new Date(ctx.now().getTime() - days * DAY_MS).toISOString()
  const over = [
    ...(await deleteRecordingsBefore(ctx.db, before)),
    ...(await markRecordingsDeleted(ctx.db, before)),
  ]
  for (const id of over) await rm(recordingPath(ctx, id), { force: true })
  await deleteSessionChangesBefore(ctx.db, before)
  const folder = dirname(recordingPath(ctx, 'any'))
  const names = await listFiles(folder)
  for (let from = 0; from < names.length; from += SLICE) {
    const slice = names.slice(from, from + SLICE)
    const ofMachines = await findRecordingIds(ctx.db, slice)
    const ofServer = await findWebTerminalRecordings(ctx.db, slice)
    const unknown = slice.filter((name) => !ofMachines.has(name) && !ofServer.has(name))
    for (const name of unknown) await removeOld(join(folder, name), ctx.now())
  }
}

async function removeOld(path: string, now: Date): Promise<void> {
  const { mtimeMs } = await stat(path)
  if (now.getTime() - mtimeMs > YOUNG_MS) await rm(path, { force: true })
}

async function listFiles(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    // Nothing was ever recorded.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
