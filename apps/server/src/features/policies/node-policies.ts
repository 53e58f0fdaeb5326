import type { Db } from '../../platform/database/database.ts'
import type { NodePolicies, PolicySlots } from '../clients/view.ts'

/** The first policy of each client and site, for servers and for workstations. */
export async function findNodePolicies(db: Db): Promise<NodePolicies> {
  const rows = await db
    .selectFrom('policy_targets')
    .select(['client_id', 'site_id', 'policy_id', 'monitoring_type'])
    .where('level', 'in', ['client', 'site'])
    .orderBy('position')
    .orderBy('policy_id')
    .execute()
  const byClient = Map.groupBy(rows, ({ client_id }) => client_id)
  const bySite = Map.groupBy(rows, ({ site_id }) => site_id)
  return {
    ofClient: (id) => slotsOf(byClient.get(id) ?? []),
    ofSite: (id) => slotsOf(bySite.get(id) ?? []),
  }
}

/** The first policy of all machines, for servers and for workstations. */
export async function findDefaultPolicies(db: Db): Promise<PolicySlots> {
  const rows = await db
    .selectFrom('policy_targets')
    .select(['policy_id', 'monitoring_type'])
    .where('level', '=', 'default')
    .orderBy('position')
    .orderBy('policy_id')
    .execute()
  return slotsOf(rows)
}

function slotsOf(
  rows: readonly { policy_id: number; monitoring_type: 'server' | 'workstation' | null }[],
): PolicySlots {
  const first = (slot: 'server' | 'workstation') =>
    rows.find(({ monitoring_type }) => (monitoring_type ?? slot) === slot)?.policy_id ?? null
  return { server_policy: first('server'), workstation_policy: first('workstation') }
}
