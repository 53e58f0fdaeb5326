import { CHANNEL_CLOSE } from '@muster/contract/channels'
import { AppError } from '@muster/contract/errors'
import type { WebSocket } from 'ws'
import type { Context } from '../../context.ts'
import type { LiveCaller } from '../live/live-socket.ts'
import { redeemTicket } from '../users/sessions/socket-tickets.ts'

/** Who says hello; undefined where the ticket is none, and the socket was told. */
export async function redeemHello(
  ctx: Context,
  {
    socket,
    hello,
    source,
    onSignedIn,
  }: { socket: WebSocket; hello: { ticket: string }; source: string; onSignedIn: () => void },
): Promise<LiveCaller | undefined> {
  try {
    const caller = await redeemTicket(ctx, hello.ticket, source)
    if (caller.session !== undefined) {
      onSignedIn()
      return { ...caller, session: caller.session }
    }
    socket.close(CHANNEL_CLOSE.ticketRefused, 'Tools are for signed-in people.')
  } catch (error) {
    if (!(error instanceof AppError)) {
      socket.close(1011, 'Something went wrong on the server.')
      throw error
    }
    socket.close(CHANNEL_CLOSE.ticketRefused, error.message)
  }
  return undefined
}
