import type { blockInheritance } from '@muster/contract/api/policies'
import type { Parsed } from '@muster/contract/endpoint'
import type { Event } from '@muster/contract/events'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { audit } from '../audit/write-audit.ts'
import { requireSite, requireWholeClient } from '../clients/require-node.ts'
import { lockPolicies } from './queries.ts'
import type { Save } from './store-save.ts'

type Order = Parsed<typeof blockInheritance>['body']

/** Blocks inherited policies for a machine, a site or a client, or allows them again. */
export async function setInheritance(ctx: Context, caller: Caller, order: Order): Promise<void> {
  await ctx.transaction(async (tx, emit) => {
    await lockPolicies(tx)
    await blockPolicies({ ctx, tx, emit, caller }, order)
  })
}

/** Runs within a transaction that holds the policies. */
export async function blockPolicies(
  { ctx, tx, emit, caller }: Omit<Save, 'set'>,
  order: Order,
): Promise<void> {
  const flag = order.block_policy_inheritance ? 1 : 0
  const { name, subject } = await write(tx, emit, { caller, order, flag })
  await audit(tx, {
    caller,
    action: 'modify',
    object_type: order.target.level,
    message: `${flag === 1 ? 'Blocked' : 'Allowed'} inherited policies for the ${order.target.level === 'agent' ? 'machine' : order.target.level} "${name}"`,
    after: { block_policy_inheritance: flag === 1 },
    ...subject,
    at: ctx.now(),
    emit,
  })
  emit({ type: 'policy.changed', ids: [] })
}

async function write(
  tx: Db,
  emit: (event: Event) => void,
  { caller, order, flag }: { caller: Caller; order: Order; flag: 0 | 1 },
) {
  const { target } = order
  const change = { block_policy_inheritance: flag }
  switch (target.level) {
    case 'client': {
      const client = await requireWholeClient(tx, target.id, caller)
      await tx.updateTable('clients').set(change).where('id', '=', target.id).execute()
      emit({ type: 'client.changed', ids: [target.id] })
      return { name: client.name, subject: { client: { id: target.id } } }
    }
    case 'site': {
      const site = await requireSite(tx, target.id, caller)
      await tx.updateTable('sites').set(change).where('id', '=', target.id).execute()
      emit({ type: 'client.changed', ids: [site.client_id] })
      return { name: site.name, subject: { site: { id: target.id } } }
    }
    case 'agent': {
      const agent = await requireAgent(tx, target.id, caller)
      await tx.updateTable('agents').set(change).where('agent_id', '=', target.id).execute()
      emit({ type: 'agent.changed', ids: [target.id], agent_ids: [target.id] })
      return { name: agent.hostname, subject: { agent: { agent_id: target.id } } }
    }
  }
}
