import { randomUUID } from 'node:crypto'
import { UploadNews, type UploadTask } from '@muster/contract/agent/files'
import { MAX_UPLOAD_BYTES } from '@muster/contract/api/files'
import { AppError } from '@muster/contract/errors'
import { formatFileSize } from '@muster/rules/text/units'
import { showRaw } from '@muster/rules/agents/raw-path'
import {
  CHANNEL_HEADER_BYTES,
  CHANNEL_KIND,
  type ChannelEnd,
  decodeChannelFrame,
  encodeChannelFrame,
  encodeChannelText,
  encodeCredit,
  readChannelText,
  readCredit,
} from '@muster/contract/agent/channel'
import { SendWindow } from '@muster/contract/agent/channel-flow'
import type { Caller, LiveCaller } from '../../../platform/http/caller.ts'
import { requestAgent } from '../../agents/request-agent.ts'
import { requireAgent } from '../../agents/require-agent.ts'
import { audit } from '../../audit/write-audit.ts'
import type { ChannelReader, ChannelWriter } from '../../../platform/agent-link/link-channels.ts'
import { type FileParts, openUse, refuseFor, SILENT } from './open-use.ts'

const FIRST_WORD_MS = 30_000

/** The user and the machine of an upload. */
export interface Uploading {
  caller: Caller
  agentId: string
}

export async function beginFileUpload(
  { ctx, fleet }: FileParts,
  { caller, agentId }: Uploading,
  file: { path: string; size: number; replace: boolean },
): Promise<{ upload: string }> {
  const input = { ...file, upload: randomUUID() }
  const shown = showRaw(file.path)
  await requestAgent(
    ctx,
    { fleet, caller, agentId },
    {
      name: 'begin-upload',
      input,
      action: 'add',
      object_type: 'file',
      describe: () => `Started uploading "${shown}" (${formatFileSize(file.size)})`,
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
  await requestAgent(
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

/** Appends bytes to those that the machine has. Returns the new size. */
export async function sendBytes(
  parts: FileParts,
  { caller, agentId }: Uploading,
  { body, ...file }: { path: string; upload: string; offset: number; body: AsyncIterable<Buffer> },
): Promise<{ size: number }> {
  const agent = await requireAgent(parts.ctx.db, agentId, caller)
  const sink = new MachineSink()
  await openUse(parts, sink, {
    caller: withSession(caller),
    agent,
    order: { task: 'write', ...file } satisfies UploadTask,
  })
  const late = setTimeout(() => sink.end(SILENT), FIRST_WORD_MS)
  const ready = await sink.waitFor('ready')
  clearTimeout(late)
  try {
    if (ready !== undefined && (await sendAll(sink, body))) {
      const written = await sink.waitFor('written')
      if (written !== undefined) return { size: written.size }
    }
  } catch (error) {
    sink.end({ code: 'closed', message: 'The upload was interrupted. Resume it to continue.' })
    throw error instanceof AppError
      ? error
      : new AppError('invalid', 'The upload was interrupted. Resume it to continue.', { cause: error })
  }
  throw refuseFor(await sink.ended, agent.hostname)
}

/** Returns false if the machine ended it, also while the browser sends nothing. */
async function sendAll(sink: MachineSink, body: AsyncIterable<Buffer>): Promise<boolean> {
  const sending = sink.send(bounded(body))
  // Unused if the machine ended first.
  sending.catch(() => undefined)
  return Promise.race([sending, sink.ended.then(() => false)])
}

export async function finishFileUpload(
  parts: FileParts,
  { caller, agentId }: Uploading,
  file: { path: string; upload: string; size: number; replace: boolean; hash: string | null },
): Promise<null> {
  const { ctx } = parts
  const agent = await requireAgent(ctx.db, agentId, caller)
  const shown = showRaw(file.path)
  const write = (message: string, after: object) =>
    ctx.transaction((tx, emit) =>
      audit(tx, { caller, action: 'add', object_type: 'file', message, after, agent, emit }),
    )
  const sink = new MachineSink()
  await openUse(parts, sink, {
    caller: withSession(caller),
    agent,
    order: { task: 'finish', ...file } satisfies UploadTask,
  })
  const end = await sink.ended
  const after = { ...file, shown_path: shown, bytes: file.size }
  if (end.code !== 'ended') {
    await write(`Failed to upload "${shown}"`, { ...after, problem: end.message })
    throw refuseFor(end, agent.hostname)
  }
  await write(`Uploaded "${shown}" (${formatFileSize(file.size)})`, after)
  return null
}

async function* bounded(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > MAX_UPLOAD_BYTES) throw tooMuch()
    yield piece
  }
}

export function tooMuch(): AppError {
  return new AppError(
    'too_large',
    `A request is limited to ${formatFileSize(MAX_UPLOAD_BYTES)}. Send the file in parts.`,
  )
}

function withSession(caller: Caller): LiveCaller {
  if (caller.session === undefined) throw new AppError('not_allowed', 'Uploads require a signed-in user.')
  return { ...caller, session: caller.session }
}

const PIECE_BYTES = 32 * 1024

/** Sends bytes to a machine within its credit, and reports the progress. */
class MachineSink implements ChannelReader {
  /** How it ended. */
  readonly ended: Promise<ChannelEnd>
  #onEnded = Promise.withResolvers<ChannelEnd>()
  #window = new SendWindow()
  #writer: ChannelWriter | undefined
  #end: ChannelEnd | undefined
  #wake: (() => void)[] = []
  #news: UploadNews[] = []

  constructor() {
    this.ended = this.#onEnded.promise
  }

  connect(writer: ChannelWriter): void {
    this.#writer = writer
    if (this.#end !== undefined) writer.end(this.#end)
  }

  onFrame(bytes: Uint8Array): void {
    const frame = decodeChannelFrame(bytes)
    if ('wrong' in frame) return
    if (frame.kind === CHANNEL_KIND.credit && !this.#window.add(readCredit(frame.payload)))
      return this.end({
        code: 'over_window',
        message: 'The machine granted too much credit. Update its agent.',
      })
    if (frame.kind === CHANNEL_KIND.text) {
      const news = UploadNews.safeParse(readChannelText(frame.payload))
      if (news.success) this.#news.push(news.data)
      this.#writer?.send(encodeCredit(0, frame.payload.length))
    }
    this.#notify()
  }

  onEnd(end: ChannelEnd): void {
    this.#end ??= end
    this.#onEnded.resolve(this.#end)
    this.#notify()
  }

  end(end: ChannelEnd): void {
    if (this.#end !== undefined) return
    this.#writer?.end(end)
    this.onEnd(end)
  }

  /** Waits for a message of this type. Undefined = the channel ended before. */
  async waitFor(type: UploadNews['type']): Promise<UploadNews | undefined> {
    return this.#until(() => this.#news.find((news) => news.type === type))
  }

  /** Sends everything. Returns false if the machine ended before. */
  async send(body: AsyncIterable<Buffer>): Promise<boolean> {
    for await (const bytes of body) {
      for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
        const payload = bytes.subarray(from, from + PIECE_BYTES)
        if ((await this.#until(() => this.#window.take(payload.length))) === undefined) return false
        this.#writer?.send(encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: 0, payload }))
      }
    }
    // Messages count against the window like bytes.
    const done = encodeChannelText(0, { type: 'done' })
    const counted = done.length - CHANNEL_HEADER_BYTES
    if ((await this.#until(() => this.#window.take(counted))) === undefined) return false
    this.#writer?.send(done)
    return true
  }

  async #until<T>(look: () => T | undefined | false): Promise<T | undefined> {
    for (;;) {
      const found = look()
      if (found !== undefined && found !== false) return found
      if (this.#end !== undefined) return undefined
      await new Promise<void>((resolve) => this.#wake.push(resolve))
    }
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }
}
