import type { Context } from '../../context.ts'
import type { ReturnedMachine } from './fail-lost-runs.ts'

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
