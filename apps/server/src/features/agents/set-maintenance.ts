import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { requireNode } from '../clients/require-node.ts'
import { lockMaintenance } from '../maintenance/apply-windows.ts'
import { recordPeriods } from '../maintenance/record-periods.ts'
import { endWindowsOf, switchedByHand } from '../maintenance/switch-by-hand.ts'
import { findNodeAgents } from './queries.ts'

const SLICE = 1000

/** Maintenance mode on or off for every machine of a client or site that the caller sees. */
export async function setNodeMaintenance(
  ctx: Context,
  caller: Caller,
  order: { type: 'Client' | 'Site'; id: number; action: boolean },
): Promise<{ changed: number }> {
  return ctx.transaction(async (tx, emit) => {
    await lockMaintenance(tx)
    const now = ctx.now()
    await requireNode(tx, order, caller)
    const agents = await findNodeAgents(tx, order, caller)
    const ids = agents.map(({ agent_id }) => agent_id)
    let changed = 0
    for (let from = 0; from < ids.length; from += SLICE) {
      const result = await tx
        .updateTable('agents')
        .set({ ...switchedByHand(order.action, now), modified: now.toISOString() })
        .where('agent_id', 'in', ids.slice(from, from + SLICE))
        .where('maintenance_mode', '=', order.action ? 0 : 1)
        .executeTakeFirst()
      changed += Number(result.numUpdatedRows)
    }
    if (!order.action) {
      const type = order.type === 'Client' ? 'client' : 'site'
      await endWindowsOf(tx, emit, { target: { type, id: order.id }, now })
    }
    if (changed === 0) return { changed }
    await recordPeriods(tx, ids, now)
    await audit(tx, {
      caller,
      action: 'bulk_action',
      object_type: order.type === 'Client' ? 'client' : 'site',
      message: `Switched maintenance mode ${order.action ? 'on' : 'off'} for ${changed} machines`,
      after: { maintenance_mode: order.action, machines: changed },
      ...(order.type === 'Client' ? { client: { id: order.id } } : { site: { id: order.id } }),
      emit,
    })
    emit({ type: 'agent.changed', ids, agent_ids: ids })
    emit({ type: 'maintenance.changed', ids: [] })
    return { changed }
  })
}
