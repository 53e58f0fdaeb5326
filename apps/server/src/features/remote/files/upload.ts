import { randomUUID } from 'node:crypto'
import type { UploadTask } from '@muster/contract/agent/files'
import { MOST_UPLOAD_BYTES } from '@muster/contract/api/files'
import { AppError } from '@muster/contract/errors'
import { formatFileSize } from '@muster/rules/text/file-size'
import { showRaw } from '@muster/rules/agents/raw-path'
import type { Caller } from '../../../platform/http/caller.ts'
import { askMachine } from '../../../fleet/ask-machine.ts'
import { requireAgent } from '../../agents/require-agent.ts'
import { audit } from '../../audit/write-audit.ts'
import type { LiveCaller } from '../../live/live-socket.ts'
import { MachineSink } from './machine-sink.ts'
import { type FileParts, openUse, refuseFor, SILENT } from './open-use.ts'

const FIRST_WORD_MS = 30_000

/** Who uploads to which machine. */
export interface Uploading {
  caller: Caller
  agentId: string
}

export async function beginFileUpload(
  { ctx, fleet }: FileParts,
  { caller, agentId }: Uploading,
  wish: { path: string; size: number; replace: boolean },
): Promise<{ upload: string }> {
  const input = { ...wish, upload: randomUUID() }
  const shown = showRaw(wish.path)
  await askMachine(
    ctx,
    { fleet, caller, agentId },
    {
      name: 'begin-upload',
      input,
      action: 'add',
      object_type: 'file',
      describe: () => `Started to upload "${shown}" (${formatFileSize(wish.size)})`,
      keep: () => ({ ...input, shown_path: shown }),
    },
  )
  return { upload: input.upload }
}

export async function dropFileUpload(
  { ctx, fleet }: FileParts,
  { caller, agentId }: Uploading,
  input: { path: string; upload: string },
): Promise<null> {
  const shown = showRaw(input.path)
  await askMachine(
    ctx,
    { fleet, caller, agentId },
    {
      name: 'drop-upload',
      input,
      action: 'delete',
      object_type: 'file',
      describe: () => `Cancelled the upload of "${shown}"`,
      keep: () => ({ ...input, shown_path: shown }),
    },
  )
  return null
}

/** Puts bytes behind those that the machine has; answers how many it has then. */
export async function sendBytes(
  parts: FileParts,
  { caller, agentId }: Uploading,
  { body, ...wish }: { path: string; upload: string; offset: number; body: AsyncIterable<Buffer> },
): Promise<{ size: number }> {
  const agent = await requireAgent(parts.ctx.db, agentId, caller)
  const sink = new MachineSink()
  await openUse(parts, sink, {
    caller: withSession(caller),
    agent,
    order: { task: 'write', ...wish } satisfies UploadTask,
  })
  const late = setTimeout(() => sink.end(SILENT), FIRST_WORD_MS)
  const ready = await sink.hear('ready')
  clearTimeout(late)
  try {
    if (ready !== undefined && (await sendAll(sink, body))) {
      const written = await sink.hear('written')
      if (written !== undefined) return { size: written.size }
    }
  } catch (error) {
    sink.end({ code: 'closed', message: 'The upload broke off.' })
    throw error instanceof AppError
      ? error
      : new AppError('invalid', 'The upload broke off. It can be gone on with.', { cause: error })
  }
  throw refuseFor(await sink.ended, agent.hostname)
}

/** False where the machine has ended it before, also while nothing comes from the browser. */
async function sendAll(sink: MachineSink, body: AsyncIterable<Buffer>): Promise<boolean> {
  const sending = sink.send(bounded(body))
  // Nobody waits for it any more when the machine was first.
  sending.catch(() => undefined)
  return Promise.race([sending, sink.ended.then(() => false)])
}

export async function finishFileUpload(
  parts: FileParts,
  { caller, agentId }: Uploading,
  wish: { path: string; upload: string; size: number; replace: boolean; hash: string | null },
): Promise<null> {
  const { ctx } = parts
  const agent = await requireAgent(ctx.db, agentId, caller)
  const shown = showRaw(wish.path)
  const write = (message: string, after: object) =>
    ctx.transaction((tx, emit) =>
      audit(tx, { caller, action: 'add', object_type: 'file', message, after, agent, emit }),
    )
  const sink = new MachineSink()
  await openUse(parts, sink, {
    caller: withSession(caller),
    agent,
    order: { task: 'finish', ...wish } satisfies UploadTask,
  })
  const end = await sink.ended
  const after = { ...wish, shown_path: shown, bytes: wish.size }
  if (end.code !== 'ended') {
    await write(`Uploaded "${shown}", in vain`, { ...after, problem: end.message })
    throw refuseFor(end, agent.hostname)
  }
  await write(`Uploaded "${shown}" (${formatFileSize(wish.size)})`, after)
  return null
}

async function* bounded(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > MOST_UPLOAD_BYTES) throw tooMuch()
    yield piece
  }
}

export function tooMuch(): AppError {
  return new AppError('too_large', `At most ${formatFileSize(MOST_UPLOAD_BYTES)} are taken at a time.`)
}

function withSession(caller: Caller): LiveCaller {
  if (caller.session === undefined) throw new AppError('not_allowed', 'Uploads are for signed-in people.')
  return { ...caller, session: caller.session }
}
