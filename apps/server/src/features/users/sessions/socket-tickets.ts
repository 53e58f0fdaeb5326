import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { digestOf, newToken } from '../../../platform/secrets/secrets.ts'
import { findCaller } from './find-caller.ts'

export const TICKET_SECONDS = 30

/** A ticket that opens one socket in the name of the caller's session. Only its digest is kept. */
export async function createTicket(ctx: Context, caller: Caller): Promise<string> {
  if (caller.session === undefined) {
    throw new AppError('not_allowed', 'Live sockets are for signed-in people.')
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
 * Who holds this ticket. It is used up by asking, whatever the answer. `source` is the address of the socket.
 * Afterwards `findCaller(ctx, caller.session.digest, source)` says whether the session still stands.
 */
export async function redeemTicket(ctx: Context, ticket: string, source: string): Promise<Caller> {
  const row = await ctx.db
    .deleteFrom('socket_tickets')
    .where('digest', '=', digestOf(ticket))
    .returning(['session_digest', 'expires_at'])
    .executeTakeFirst()
  const isGood = row !== undefined && row.expires_at > ctx.now().toISOString()
  const caller = isGood ? await findCaller(ctx, row.session_digest, source) : undefined
  if (caller === undefined || caller.session?.inGrace === true || caller.session?.totpPending === true) {
    throw new AppError('not_signed_in', 'This ticket is used up or too old. Ask for a new one.')
  }
  return caller
}
