import type { Context } from '../../context.ts'
import type { LinkedMachine } from '../../fleet/link-state.ts'
import { emitChanged, emitPending } from './deliver-runs.ts'
import { publishEndedIds } from './publish-ended.ts'

type ReturnedMachine = Pick<LinkedMachine, 'agentId' | 'at' | 'active'>

/** Fails runs that a machine had accepted and no longer knows: its data folder was lost, or restored from a backup. */
export async function failLostRuns(ctx: Context, machines: readonly ReturnedMachine[]): Promise<void> {
  const byId = new Map(machines.map((machine) => [machine.agentId, machine]))
  const taken = await ctx.db
    .selectFrom('agent_history')
    .select(['id', 'agent_id', 'sent_at'])
    .where('agent_id', 'in', [...byId.keys()])
    .where('state', 'in', ['accepted', 'running'])
    .execute()
  const lost = taken.filter(({ id, agent_id, sent_at }) => {
    const machine = byId.get(agent_id)
    // Runs sent on the new link are newer than the list.
    return machine !== undefined && (sent_at ?? '') < machine.at && !machine.active.includes(id)
  })
  if (lost.length === 0) return
  await ctx.db
    .updateTable('agent_history')
    .set({
      state: 'failed',
      reason: 'The machine reconnected and no longer knows this run.',
      finished_at: ctx.now().toISOString(),
      command_input: '',
    })
    .where(
      'id',
      'in',
      lost.map(({ id }) => id),
    )
    .where('state', 'in', ['accepted', 'running'])
    .execute()
  await publishEndedIds(
    ctx,
    ctx.db,
    lost.map(({ id }) => id),
  )
  emitChanged(ctx, lost)
}

/**
 * Returns runs to the queue that were sent over a lost link and did not arrive: reconnecting machines list those that
 * they accepted. The nonce is kept, so a run that did arrive is not repeated.
 */
export async function requeueUnreceived(ctx: Context, machines: readonly ReturnedMachine[]): Promise<void> {
  const byId = new Map(machines.map((machine) => [machine.agentId, machine]))
  const sent = await ctx.db
    .selectFrom('agent_history')
    .select(['id', 'agent_id', 'sent_at'])
    .where('agent_id', 'in', [...byId.keys()])
    .where('state', '=', 'sent')
    .where('cancel_requested', '=', 0)
    .execute()
  const unreceived = sent.flatMap(({ id, agent_id, sent_at }) => {
    const machine = byId.get(agent_id)
    // Runs sent on the new link are newer than the list.
    return machine !== undefined && (sent_at ?? '') < machine.at && !machine.active.includes(id) ? [id] : []
  })
  if (unreceived.length === 0) return
  await ctx.db
    .updateTable('agent_history')
    .set({ state: 'queued', sent_at: null })
    .where('id', 'in', unreceived)
    .where('state', '=', 'sent')
    .execute()
}

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
  const all = [...expired, ...unheard, ...lost]
  await publishEndedIds(
    ctx,
    ctx.db,
    all.map(({ id }) => id),
  )
  emitPending(ctx, expired)
  emitChanged(ctx, all)
}
