import {
  CHANNEL_KIND,
  type ChannelEnd,
  decodeChannelFrame,
  encodeCredit,
  readChannelText,
} from '@muster/contract/agent/channel'
import { FileNews } from '@muster/contract/agent/files'
import { AppError } from '@muster/contract/errors'
import { formatFileSize } from '@muster/rules/text/units'
import { showRaw } from '@muster/rules/agents/raw-path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { CreditDebt } from '@muster/contract/agent/channel-flow'
import type { AgentWithSite } from '../../agents/queries.ts'
import { requireAgent } from '../../agents/require-agent.ts'
import { audit } from '../../audit/write-audit.ts'
import type { LiveCaller } from '../../../platform/http/caller.ts'
import { checkRight } from '../channel-hub.ts'
import {
  type ByteRange,
  describeRange,
  refuseRange,
  requestedRange,
  type WantedRange,
} from '../../../platform/http/send-file.ts'
import type { ChannelReader, ChannelWriter } from '../../../platform/agent-link/link-channels.ts'
import type { Ticket } from './download-ticket.ts'
import { type FileParts, openUse, refuseFor, SILENT } from './open-use.ts'

/** A browser that reads nothing for this long has abandoned the download. It may request the rest. */
const IDLE_MS = 120_000
const FIRST_WORD_MS = 30_000

/** Sends a file of a machine, or the requested part of it, or a folder as an archive. */
export async function sendDownload(
  parts: FileParts,
  { ticket, caller }: { ticket: Ticket; caller: LiveCaller },
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  const { ctx } = parts
  const refusal = await checkRight(ctx, caller, {
    agentId: ticket.agentId,
    request: { tool: 'files' },
  })
  if (refusal !== undefined)
    throw new AppError(refusal.code === 'not_found' ? 'not_found' : 'not_allowed', refusal.message)
  const agent = await requireAgent(ctx.db, ticket.agentId, caller)
  const wanted = ticket.archive ? undefined : readRange(request)
  const { stream, news } = await openStream(parts, { ticket, caller, agent, request, wanted })
  const write = (message: string, after: object) =>
    ctx.transaction((tx, emit) =>
      audit(tx, { caller, action: 'view', object_type: 'file', message, after, agent, emit }),
    )
  const path = showRaw(ticket.path)
  const range = findRange(news, wanted, readVersion(request))
  await write(describeBegin(ticket, news, range), {
    path,
    raw_path: ticket.path,
    bytes: news.size,
    from: news.offset,
  })
  void parts.hub.finish(async () => {
    const problem = await stream.ended
    const bytes = stream.sentBytes
    if (problem !== null)
      await write(`Failed to download "${path}" after ${formatFileSize(bytes)}: ${problem.message}`, {
        bytes,
      })
    else if (news.size === null)
      await write(`Downloaded the archive of "${path}" (${formatFileSize(bytes)})`, { bytes })
  })
  return answer(reply, { stream, news, range })
}

async function openStream(
  parts: FileParts,
  given: {
    ticket: Ticket
    caller: LiveCaller
    agent: AgentWithSite
    request: FastifyRequest
    wanted: Wanted | undefined
  },
): Promise<{ stream: MachineStream; news: FileNews }> {
  const { ticket, caller, agent, request, wanted } = given
  const { path, archive } = ticket
  const stream = new MachineStream()
  const order = archive
    ? { task: 'archive' as const, path }
    : { task: 'read' as const, path, offset: wanted?.first ?? 0, version: readVersion(request) }
  watchIdle(stream)
  await openUse(parts, stream, { caller, agent, order })
  const late = setTimeout(() => stream.end(SILENT), FIRST_WORD_MS)
  try {
    return { stream, news: await stream.news }
  } catch (cause) {
    const end = await stream.ended
    parts.ctx.log.debug({ agent_id: agent.agent_id, cause }, 'no file was sent')
    throw refuseFor(end ?? SILENT, agent.hostname)
  } finally {
    clearTimeout(late)
  }
}

function answer(
  reply: FastifyReply,
  { stream, news, range }: { stream: MachineStream; news: FileNews; range: Part },
): FastifyReply {
  const { size, name, version } = news
  reply
    .header('content-type', 'application/octet-stream')
    .header('content-disposition', describeDisposition(name))
    .header('cache-control', 'no-store')
  if (size === null) return reply.send(stream.body)
  reply.header('accept-ranges', 'bytes').header('etag', `"${version}"`)
  if (range === 'whole') return reply.header('content-length', size).send(stream.body)
  if (range === 'beyond') {
    stream.end({ code: 'closed', message: 'The requested range is beyond the end of the file.' })
    return refuseRange(reply, size)
  }
  const bytes = range.end - range.start + 1
  reply.status(206).header('content-range', describeRange(range, size)).header('content-length', bytes)
  return reply.send(range.end === size - 1 ? stream.body : Readable.from(takeBytes(stream, bytes)))
}

type Wanted = WantedRange & { first: number }
type Part = ByteRange | 'whole' | 'beyond'

/** The requested range. The last bytes of a file whose size is unknown yet are not one: the whole file is sent. */
function readRange(request: FastifyRequest): Wanted | undefined {
  const { first, last } = requestedRange(request) ?? {}
  return first === undefined ? undefined : { first, last }
}

/** The machine begins at 0 if the file is another one by now, or has no size. */
function findRange(
  { size, offset, version }: FileNews,
  wanted: Wanted | undefined,
  known: string | null,
): Part {
  if (wanted === undefined || size === null || (known !== null && known !== version)) return 'whole'
  const { first, last } = wanted
  if (first >= size) return 'beyond'
  return first === offset ? { start: first, end: Math.min(last ?? size - 1, size - 1) } : 'whole'
}

/** The first bytes of what the machine sends, which then stops. */
async function* takeBytes(stream: MachineStream, bytes: number): AsyncGenerator<Uint8Array> {
  let left = bytes
  for await (const piece of stream.body) {
    // The body is a stream of buffers.
    const taken = (piece as Buffer).subarray(0, left)
    left -= taken.length
    if (left === 0) stream.complete()
    yield taken
    if (left === 0) return
  }
}

function readVersion({ headers }: FastifyRequest): string | null {
  const version = headers['if-range']
  return typeof version === 'string' ? version.replaceAll('"', '').slice(0, 100) : null
}

function watchIdle(stream: MachineStream): void {
  let seen = -1
  const timer = setInterval(() => {
    if (stream.sentBytes === seen) stream.end(IDLE)
    seen = stream.sentBytes
  }, IDLE_MS)
  void stream.ended.then(() => clearInterval(timer))
}

function describeBegin({ path, archive }: Ticket, { size, offset }: FileNews, range: Part): string {
  const shown = showRaw(path)
  if (archive || size === null) return `Started downloading "${shown}" as an archive`
  if (typeof range === 'object' && range.end < size - 1)
    return `Downloaded ${formatFileSize(range.end - range.start + 1)} of "${shown}" (${formatFileSize(size)})`
  if (offset > 0)
    return `Resumed downloading "${shown}" after ${formatFileSize(offset)} of ${formatFileSize(size)}`
  return `Downloaded "${shown}" (${formatFileSize(size)})`
}

const IDLE: ChannelEnd = { code: 'closed', message: 'The browser read nothing for two minutes.' }

/** Makes a browser save a response under this name (RFC 6266): an ASCII name, and the full one. */
function describeDisposition(name: string): string {
  const safe = name.replaceAll(/[\p{Cc}\p{Cf}\\/:*?"<>|]/gu, '_').replaceAll(/^\.+/g, '_') || 'file'
  const plain = safe.replaceAll(/[^\x20-\x7e]|%/g, '_')
  const whole = encodeURIComponent(safe.toWellFormed()).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16)}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`
}

const BUFFERED_BYTES = 256 * 1024

/**
 * Data of a machine's channel as a stream. Credit is granted when a piece is read here, so a slow reader slows the
 * machine's disk down, and nothing accumulates in between.
 */
class MachineStream implements ChannelReader {
  readonly body: Readable
  /** The first message. Rejects with the reason of a failure. */
  readonly news: Promise<FileNews>
  /** How it ended. Null = complete. */
  readonly ended: Promise<ChannelEnd | null>
  sentBytes = 0
  #writer: ChannelWriter | undefined
  #debt = new CreditDebt()
  #held = 0
  #left: number | null = null
  #isOver = false
  #onNews = Promise.withResolvers<FileNews>()
  #onEnded = Promise.withResolvers<ChannelEnd | null>()

  constructor() {
    this.news = this.#onNews.promise
    // The opener receives the error, or has disconnected.
    this.news.catch(() => undefined)
    this.ended = this.#onEnded.promise
    this.body = new Readable({
      highWaterMark: BUFFERED_BYTES,
      read: () => this.#release(),
      destroy: (error, done) => {
        this.end({ code: 'closed', message: 'The download was cancelled, or its connection was lost.' })
        done(error)
      },
    })
  }

  connect(writer: ChannelWriter): void {
    this.#writer = writer
    if (this.#isOver) writer.end({ code: 'closed', message: 'The download was abandoned.' })
    else this.#release()
  }

  onFrame(bytes: Uint8Array): void {
    const frame = decodeChannelFrame(bytes)
    if (this.#isOver || 'wrong' in frame) return
    if (frame.kind === CHANNEL_KIND.text) {
      this.#held += frame.payload.length
      this.#learn(readChannelText(frame.payload))
    }
    if (frame.kind === CHANNEL_KIND.data) this.#take(frame.payload)
  }

  /** The machine ended it, or it failed. */
  onEnd(end: ChannelEnd): void {
    const isWhole = end.code === 'ended' && (this.#left === null || this.#left === 0)
    if (!isWhole) return this.#finish(end.code === 'ended' ? SHORT : end)
    this.#finish(null)
  }

  /** The client has all that it requested. */
  complete(): void {
    if (this.#isOver) return
    this.#writer?.end({ code: 'closed', message: 'The requested part is complete.' })
    this.#finish(null)
  }

  /** Ends it on both sides. */
  end(end: ChannelEnd): void {
    if (this.#isOver) return
    this.#writer?.end(end)
    this.#finish(end)
  }

  #learn(message: unknown): void {
    const news = FileNews.safeParse(message)
    if (!news.success) return this.end(UNREADABLE)
    if (news.data.size !== null) this.#left = news.data.size - news.data.offset
    this.#onNews.resolve(news.data)
    this.#release()
  }

  #take(payload: Uint8Array): void {
    if (this.#left !== null) {
      this.#left -= payload.length
      if (this.#left < 0) return this.end(UNREADABLE)
    }
    this.sentBytes += payload.length
    this.#held += payload.length
    if (this.body.push(payload)) this.#release()
  }

  #release(): void {
    if (this.#writer === undefined || this.#isOver) return
    const credit = this.#debt.consume(this.#held)
    this.#held = 0
    if (credit > 0) this.#writer.send(encodeCredit(0, credit))
  }

  #finish(problem: ChannelEnd | null): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#onEnded.resolve(problem)
    this.#onNews.reject(new Error((problem ?? UNREADABLE).message))
    if (problem === null) this.body.push(null)
    // Without an error: a browser then marks the file as incomplete.
    else this.body.destroy()
  }
}

const UNREADABLE: ChannelEnd = {
  code: 'bad_frame',
  message: 'The machine sent unreadable data. Update its agent.',
}
const SHORT: ChannelEnd = { code: 'failed', message: 'The machine sent less data than announced.' }
