import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { digestOf, newToken } from '../../../platform/secrets/secrets.ts'
import { findCaller } from './find-caller.ts'

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

/**
 * Returns the holder of this ticket, and consumes it in any case. `source`: the address of the socket. Afterwards
 * `findCaller(ctx, caller.session.digest, source)` shows whether the session still exists.
 */
export async function redeemTicket(ctx: Context, ticket: string, source: string): Promise<Caller> {
  const row = await ctx.db
    .deleteFrom('socket_tickets')
    .where('digest', '=', digestOf(ticket))
    .returning(['session_digest', 'expires_at'])
    .executeTakeFirst()
  const isGood = row !== undefined && row.expires_at > ctx.now().toISOString()
  const caller = isGood ? await findCaller(ctx, row.session_digest, source) : undefined
  if (caller === undefined || caller.session?.inGrace === true || caller.session?.pending !== undefined) {
    throw new AppError('not_signed_in', 'This ticket was used or has expired. Request a new one.')
  }
  return caller
}
