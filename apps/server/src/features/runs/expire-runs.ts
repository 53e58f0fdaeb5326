import type { Context } from '../../context.ts'
import { emitChanged, emitPending } from './deliver-runs.ts'

const DAY_MS = 86_400_000

/**
 * Ends runs that will not end on their own: queued ones past their expiry, and sent ones without a report for a day
 * after their latest possible end.
 */
export async function expireRuns(ctx: Context): Promise<void> {
  const now = ctx.now().toISOString()
  const dayAgo = new Date(ctx.now().getTime() - DAY_MS).toISOString()
  const ended = { finished_at: now, command_input: '' }
  const expired = await ctx.db
    .updateTable('agent_history')
    .set({ ...ended, state: 'expired', reason: 'The machine did not connect before the run expired.' })
    .where('state', '=', 'queued')
    .where('expires_at', '<', now)
    .returning(['id', 'agent_id'])
    .execute()
  const unheard = await ctx.db
    .updateTable('agent_history')
    .set({
      ...ended,
      state: 'expired',
      reason: 'The machine did not confirm the run.',
    })
    .where('state', '=', 'sent')
    .where('expires_at', '<', dayAgo)
    .returning(['id', 'agent_id'])
    .execute()
  const lost = await ctx.db
    .updateTable('agent_history')
    .set({ ...ended, state: 'failed', reason: 'The machine did not report the end of the run.' })
    .where('state', 'in', ['accepted', 'running'])
    .where('expires_at', '<', dayAgo)
    // The longest time limit is below a day.
    .where('sent_at', '<', new Date(ctx.now().getTime() - 2 * DAY_MS).toISOString())
    .returning(['id', 'agent_id'])
    .execute()
  emitPending(ctx, expired)
  emitChanged(ctx, [...expired, ...unheard, ...lost])
}
