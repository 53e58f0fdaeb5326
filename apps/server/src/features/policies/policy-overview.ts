import type { PolicyOverview } from '@muster/contract/policies/place-policies'
import type { Db } from '../../platform/database/database.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { findNodePolicies } from './node-policies.ts'
import { viewPlace } from './place-list.ts'
import { loadPolicySet } from './policy-set.ts'

const byName = new Intl.Collator('en', { numeric: true })

/** Clients and sites by name, each with what is assigned to it. */
export async function readOverview(db: Db, caller: Caller): Promise<PolicyOverview> {
  const set = await loadPolicySet(db)
  const first = await findNodePolicies(db)
  const rows = await db
    .selectFrom('sites')
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .select(['sites.id', 'sites.name', 'sites.client_id', 'clients.name as client_name'])
    .where(visibleTo(caller))
    .execute()
  const sites = rows.toSorted((a, b) => byName.compare(a.name, b.name))
  return Array.from(
    Map.groupBy(sites, ({ client_id }) => client_id),
    ([id, group]) => ({
      id,
      name: group[0]?.client_name ?? '',
      ...first.ofClient(id),
      policies: viewPlace(set, { level: 'client', id }, '').policies,
      sites: group.map((site) => ({
        id: site.id,
        name: site.name,
        ...first.ofSite(site.id),
        policies: viewPlace(set, { level: 'site', id: site.id }, '').policies,
      })),
    }),
  ).toSorted((a, b) => byName.compare(a.name, b.name))
}
