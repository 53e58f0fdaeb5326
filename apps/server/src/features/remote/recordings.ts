import { randomUUID } from 'node:crypto'
import { mkdir, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ToolRequest } from '@muster/contract/channels'
import { AppError } from '@muster/contract/errors'
import { isToolRecorded } from '@muster/rules/remote/remote-rules'
import type { Context } from '../../context.ts'
import { SealedFile } from '../../platform/files/sealed-file.ts'
import type { AgentWithSite } from '../agents/queries.ts'
import { readCoreSettings } from '../../platform/config/core-settings.ts'
import { findRecordingRules, targetsOf } from './access/queries.ts'
import { Recording, type WindowRecording } from './recording.ts'
import { finishRecording, insertRecording } from './recording-queries.ts'
import type { RecordingEnd } from './recording-writer.ts'
import { ScreenRecording } from './screen-recording.ts'

const MEGABYTE = 1024 * 1024
const MIN_ROOM_BYTES = MEGABYTE

/** Below the data folder, which all processes of one server share. */
export function recordingPath({ config }: Context, id: string): string {
  return join(config.dataFolder, 'recordings', id)
}

/** The seal of a recording's file. */
export function recordingSeal({ secrets }: Context, id: string) {
  return { secrets, about: `recording ${id}` }
}

/** Whether windows on a tool are recorded on this machine. */
export async function isRecorded(
  ctx: Context,
  { agent, tool }: { agent: AgentWithSite; tool: ToolRequest['tool'] },
): Promise<boolean> {
  const rules = await findRecordingRules(ctx.db, targetsOf(agent))
  return isToolRecorded(rules, { tool, monitoringType: agent.monitoring_type })
}

/**
 * Starts to record a window. Throws if it cannot be written: a tool that must be recorded is not opened without.
 * `onUnfit`: called when its content turns out to be impossible to record.
 */
export async function beginRecording(
  ctx: Context,
  given: { session: string; request: ToolRequest; onUnfit: (message: string) => void },
): Promise<WindowRecording> {
  const { session, request, onUnfit } = given
  const settings = await readCoreSettings(ctx.db)
  const id = randomUUID()
  const startedAt = ctx.now()
  const file = await createRecordingFile(ctx, id)
  await insertRecording(ctx.db, { id, session_id: session, started_at: startedAt.toISOString() })
  const parts = {
    file,
    onEnd: (end: RecordingEnd) => finishRecording(ctx.db, id, end),
    onError: (error: unknown) =>
      ctx.log.error({ err: error, recording: id }, 'a recording could not be written'),
  }
  if (request.tool !== 'terminal') {
    const mostBytes = settings.desktop_recording_max_mb * MEGABYTE
    return new ScreenRecording({ ...parts, mostBytes, onUnfit })
  }
  const mostCharacters = settings.recording_max_mb * MEGABYTE
  return new Recording({ ...parts, size: request, startedAt, mostCharacters })
}

/** Throws if it cannot be written. */
export async function createRecordingFile(ctx: Context, id: string): Promise<SealedFile> {
  const path = recordingPath(ctx, id)
  try {
    const folder = dirname(path)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const { bavail, bsize } = await statfs(folder)
    // Creating a file succeeds even on a full disk.
    if (ctx.disk.isLow || bavail * bsize < MIN_ROOM_BYTES) throw new Error('the disk is full')
    return await SealedFile.create(path, recordingSeal(ctx, id))
  } catch (cause) {
    ctx.log.error({ err: cause }, 'a recording could not be started')
    throw new AppError(
      'unavailable',
      'This session must be recorded, and the server cannot write the recording. Check the disk of the server.',
      {
        cause,
      },
    )
  }
}
