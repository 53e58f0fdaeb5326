import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { TerminalRequest } from '@muster/contract/channels'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { SealedFile } from '../../platform/files/sealed-file.ts'
import type { PlacedAgent } from '../agents/queries.ts'
import { readCoreSettings } from '../settings/queries.ts'
import { Recording } from './recording.ts'
import { finishRecording, insertRecording } from './recording-queries.ts'

const MEGABYTE = 1024 * 1024

/** Below the data folder, which all processes of one server share. */
export function recordingPath({ config }: Context, id: string): string {
  return join(config.dataFolder, 'recordings', id)
}

/** What a recording's file is sealed as. */
export function recordingSeal({ secrets }: Context, id: string) {
  return { secrets, about: `recording ${id}` }
}

/**
 * Begins to record a window, where the settings want that. Throws where it cannot be written: what is to be recorded is
 * not opened without.
 */
export async function beginRecording(
  ctx: Context,
  given: { session: string; agent: PlacedAgent; size: Pick<TerminalRequest, 'cols' | 'rows'> },
): Promise<Recording | undefined> {
  const { record_terminals: which, recording_max_mb: mostMegabytes } = await readCoreSettings(ctx.db)
  const isWanted = which === 'all' || (which === 'servers' && given.agent.monitoring_type === 'server')
  if (!isWanted) return undefined
  const id = randomUUID()
  const startedAt = ctx.now()
  const file = await createFile(ctx, id)
  await insertRecording(ctx.db, { id, session_id: given.session, started_at: startedAt.toISOString() })
  return new Recording({
    file,
    size: given.size,
    startedAt,
    mostCharacters: mostMegabytes * MEGABYTE,
    onEnd: (end) => finishRecording(ctx.db, id, end),
    onError: (error) => ctx.log.error({ err: error, recording: id }, 'a recording could not be written'),
  })
}

async function createFile(ctx: Context, id: string): Promise<SealedFile> {
  const path = recordingPath(ctx, id)
  try {
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
    return await SealedFile.create(path, recordingSeal(ctx, id))
  } catch (cause) {
    ctx.log.error({ err: cause }, 'a recording could not be begun')
    throw new AppError('unavailable', 'This is to be recorded, and the server cannot write the recording.', {
      cause,
    })
  }
}
