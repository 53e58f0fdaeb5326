import type { Context } from '../../context.ts'
import { emitChanged, emitPending } from './deliver-runs.ts'

const DAY_MS = 86_400_000

/**
 * Ends what will not come to an end by itself: rows whose machine was away until their expiry, and rows of machines
 * that were sent something and have not been heard of for a day after it should have ended.
 */
export async function expireRuns(ctx: Context): Promise<void> {
  const now = ctx.now().toISOString()
  const dayAgo = new Date(ctx.now().getTime() - DAY_MS).toISOString()
  const ended = { finished_at: now, command_input: '' }
  const expired = await ctx.db
    .updateTable('agent_history')
    .set({ ...ended, state: 'expired', reason: 'The machine was not connected before this expired.' })
    .where('state', '=', 'queued')
    .where('expires_at', '<', now)
    .returning(['id', 'agent_id'])
    .execute()
  const unheard = await ctx.db
    .updateTable('agent_history')
    .set({
      ...ended,
      state: 'expired',
      reason: 'It was sent, and the machine never said that it had received it.',
    })
    .where('state', '=', 'sent')
    .where('expires_at', '<', dayAgo)
    .returning(['id', 'agent_id'])
    .execute()
  const lost = await ctx.db
    .updateTable('agent_history')
    .set({ ...ended, state: 'failed', reason: 'The machine never said how this ended.' })
    .where('state', 'in', ['accepted', 'running'])
    .where('expires_at', '<', dayAgo)
    // Seconds of the longest possible run are within a day.
    .where('sent_at', '<', new Date(ctx.now().getTime() - 2 * DAY_MS).toISOString())
    .returning(['id', 'agent_id'])
    .execute()
  emitPending(ctx, expired)
  emitChanged(ctx, [...expired, ...unheard, ...lost])
}
