import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { digestOf, newToken } from '../../../platform/secrets/secrets.ts'
import { callerOf } from './find-caller.ts'
import { findSessionUser } from './queries.ts'
import { equalTexts } from './session-cookies.ts'

export const TICKET_SECONDS = 30

/** Creates a ticket that opens one socket for the caller's session. Only its digest is stored. */
export async function createTicket(ctx: Context, caller: Caller): Promise<string> {
  if (caller.session === undefined) {
    throw new AppError('not_allowed', 'Live sockets require a signed-in user.')
  }
  const ticket = newToken()
  await ctx.db
    .insertInto('socket_tickets')
    .values({
      digest: digestOf(ticket),
      session_digest: caller.session.digest,
      expires_at: new Date(ctx.now().getTime() + TICKET_SECONDS * 1000).toISOString(),
    })
    .execute()
  return ticket
}

/** The browser that opens a socket: its address, and the cookie of its session. */
export interface SocketBrowser {
  source: string
  cookie: string | undefined
}

/**
 * Returns the holder of this ticket, and consumes it in any case. It is good only with the cookie of the session that
 * got it, so that whatever else reads the ticket cannot use it. Afterwards
 * `findCaller(ctx, caller.session.digest, source)` shows whether the session still exists.
 */
export async function redeemTicket(
  ctx: Context,
  ticket: string,
  { source, cookie }: SocketBrowser,
): Promise<Caller> {
  const row = await ctx.db
    .deleteFrom('socket_tickets')
    .where('digest', '=', digestOf(ticket))
    .returning(['session_digest', 'expires_at'])
    .executeTakeFirst()
  const isGood = row !== undefined && row.expires_at > ctx.now().toISOString()
  const found = isGood ? await findSessionUser(ctx.db, row.session_digest) : undefined
  const isOwn =
    found !== undefined && cookie !== undefined && equalTexts(digestOf(cookie), found.cookie_digest)
  const caller = isOwn ? await callerOf(ctx, found, source) : undefined
  if (caller === undefined || caller.session?.inGrace === true || caller.session?.pending !== undefined) {
    throw new AppError('not_signed_in', 'This ticket was used or has expired. Request a new one.')
  }
  return caller
}
