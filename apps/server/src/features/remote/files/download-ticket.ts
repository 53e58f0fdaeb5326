import { RawPath } from '@muster/contract/agent/files'
import { DOWNLOAD_PATH } from '@muster/contract/api/files'
import { AppError } from '@muster/contract/errors'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Context } from '../../../context.ts'
import type { CallerSession, LiveCaller } from '../../../platform/http/caller.ts'
import { digestOf } from '../../../platform/secrets/secrets.ts'
import { findCaller } from '../../users/sessions/find-caller.ts'
import { findSessionUser } from '../../users/sessions/queries.ts'
import { equalTexts, type SessionCookies } from '../../users/sessions/session-cookies.ts'

const GOOD_FOR_MS = 3_600_000

const Ticket = z.object({
  use: z.literal('download'),
  session: z.string(),
  agentId: z.string(),
  path: RawPath,
  archive: z.boolean(),
  expiresAt: z.string(),
})
export type Ticket = z.infer<typeof Ticket>

/**
 * The URL of a download. A browser that saves a file sends no token: the sealed ticket replaces it for one file. It is
 * valid only with the cookie of its session. It can be used repeatedly, because browsers resume interrupted downloads
 * by requesting the rest.
 */
export function writeDownloadUrl(
  ctx: Context,
  { session, ...target }: { session: CallerSession; agentId: string; path: string; archive: boolean },
): { url: string; expires_at: string } {
  const expiresAt = new Date(ctx.now().getTime() + GOOD_FOR_MS).toISOString()
  const ticket: Ticket = { use: 'download', session: session.digest, ...target, expiresAt }
  const sealed = ctx.secrets.encrypt(JSON.stringify(ticket))
  const url = `${DOWNLOAD_PATH.replace(':agent_id', target.agentId)}?ticket=${encodeURIComponent(sealed)}`
  return { url, expires_at: expiresAt }
}

/** Returns the content of a ticket and its caller. Throws if it is invalid. */
export async function redeemDownload(
  ctx: Context,
  cookies: SessionCookies,
  request: FastifyRequest,
): Promise<{ ticket: Ticket; caller: LiveCaller }> {
  const ticket = openTicket(ctx, request)
  if (ticket === undefined || ticket.expiresAt <= ctx.now().toISOString()) throw refused()
  const [found, caller] = await Promise.all([
    findSessionUser(ctx.db, ticket.session),
    findCaller(ctx, ticket.session, request.ip),
  ])
  const cookie = cookies.find(request)
  const isOwn =
    found !== undefined && cookie !== undefined && equalTexts(digestOf(cookie), found.cookie_digest)
  const session = caller?.session
  if (
    !isOwn ||
    caller === undefined ||
    session === undefined ||
    session.inGrace ||
    session.pending !== undefined
  )
    throw refused()
  return { ticket, caller: { ...caller, session } }
}

function openTicket(ctx: Context, request: FastifyRequest): Ticket | undefined {
  const { ticket } = z.object({ ticket: z.string().max(12_000).catch('') }).parse(request.query ?? {})
  const { agent_id } = z.object({ agent_id: z.string() }).parse(request.params)
  try {
    const opened = Ticket.safeParse(JSON.parse(ctx.secrets.decrypt(ticket))).data
    return opened?.agentId === agent_id ? opened : undefined
  } catch {
    // Not sealed by this server, or truncated.
    return undefined
  }
}

function refused(): AppError {
  return new AppError('not_signed_in', 'This download has expired. Start it again in the console.')
}
