import type { ChannelEnd } from '@muster/contract/agent/channel'
import type { FileNews } from '@muster/contract/agent/files'
import { AppError } from '@muster/contract/errors'
import { formatFileSize } from '@muster/rules/text/file-size'
import { showRaw } from '@muster/rules/agents/raw-path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PlacedAgent } from '../../agents/queries.ts'
import { requireAgent } from '../../agents/require-agent.ts'
import { audit } from '../../audit/write-audit.ts'
import type { LiveCaller } from '../../live/live-socket.ts'
import { whyNotAllowed } from '../channel-hub.ts'
import { describeDisposition } from './content-disposition.ts'
import type { Ticket } from './download-ticket.ts'
import { MachineStream } from './machine-stream.ts'
import { type FileParts, openUse, refuseFor, SILENT } from './open-use.ts'

/** A browser that takes nothing for so long has forgotten it; it may ask for the rest. */
const IDLE_MS = 120_000
const FIRST_WORD_MS = 30_000

/** Answers with a file of a machine, from the byte on that the browser asks for, or a folder as an archive. */
export async function sendDownload(
  parts: FileParts,
  { ticket, caller }: { ticket: Ticket; caller: LiveCaller },
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  const { ctx } = parts
  const refusal = await whyNotAllowed(ctx, caller, {
    agentId: ticket.agentId,
    request: { tool: 'files' },
  })
  if (refusal !== undefined)
    throw new AppError(refusal.code === 'not_found' ? 'not_found' : 'not_allowed', refusal.message)
  const agent = await requireAgent(ctx.db, ticket.agentId, caller)
  const wanted = ticket.archive ? 0 : readRange(request)
  const { stream, news } = await openStream(parts, { ticket, caller, agent, request, wanted })
  const write = (message: string, after: object) =>
    ctx.transaction((tx, emit) =>
      audit(tx, { caller, action: 'view', object_type: 'file', message, after, agent, emit }),
    )
  const path = showRaw(ticket.path)
  await write(tellBegin(ticket, news), { path, raw_path: ticket.path, bytes: news.size, from: news.offset })
  void parts.hub.finish(async () => {
    const problem = await stream.ended
    const bytes = stream.sentBytes
    if (problem !== null)
      await write(`The download of "${path}" broke off after ${formatFileSize(bytes)}: ${problem.message}`, {
        bytes,
      })
    else if (news.size === null)
      await write(`The archive of "${path}" had ${formatFileSize(bytes)}`, { bytes })
  })
  return answer(reply, { stream, news, wanted })
}

async function openStream(
  parts: FileParts,
  given: { ticket: Ticket; caller: LiveCaller; agent: PlacedAgent; request: FastifyRequest; wanted: number },
): Promise<{ stream: MachineStream; news: FileNews }> {
  const { ticket, caller, agent, request, wanted } = given
  const { path, archive } = ticket
  const stream = new MachineStream()
  const order = archive
    ? { task: 'archive' as const, path }
    : { task: 'read' as const, path, offset: wanted, version: readVersion(request) }
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
  { stream, news, wanted }: { stream: MachineStream; news: FileNews; wanted: number },
): FastifyReply {
  const { size, offset, name, version } = news
  reply
    .header('content-type', 'application/octet-stream')
    .header('content-disposition', describeDisposition(name))
    .header('cache-control', 'no-store')
  if (size === null) return reply.send(stream.body)
  reply.header('accept-ranges', 'bytes').header('etag', `"${version}"`)
  if (wanted > 0 && offset >= size) {
    stream.end({ code: 'closed', message: 'There is nothing behind the end of the file.' })
    return reply.status(416).header('content-range', `bytes */${size}`).send('')
  }
  if (offset > 0) reply.status(206).header('content-range', `bytes ${offset}-${size - 1}/${size}`)
  return reply.header('content-length', size - offset).send(stream.body)
}

/** From which byte on; what else a range may be is answered with the whole, which is always right. */
function readRange({ headers }: FastifyRequest): number {
  const from = /^bytes=(\d{1,15})-$/.exec(headers.range ?? '')?.[1]
  return Number(from ?? 0)
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

function tellBegin({ path, archive }: Ticket, { size, offset }: FileNews): string {
  const shown = showRaw(path)
  if (archive || size === null) return `Downloaded "${shown}" as an archive`
  if (offset > 0)
    return `Resumed downloading "${shown}" after ${formatFileSize(offset)} of ${formatFileSize(size)}`
  return `Downloaded "${shown}" (${formatFileSize(size)})`
}

const IDLE: ChannelEnd = { code: 'closed', message: 'Nothing was taken for two minutes.' }
