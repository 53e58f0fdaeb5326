import type { Context } from '../../context.ts'
import type { LinkedMachine } from '../../fleet/link-state.ts'
import { emitChanged } from './deliver-runs.ts'

export type ReturnedMachine = Pick<LinkedMachine, 'agentId' | 'at' | 'active'>

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
  emitChanged(ctx, lost)
}
