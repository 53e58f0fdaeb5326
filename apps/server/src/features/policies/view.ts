import type { Policy, PolicyVersion } from '@muster/contract/api/policies'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { hasWinUpdate, viewWinUpdate } from '../patches/policy/win-update-policy.ts'
import { findMachines } from './machines.ts'
import { createPolicyVisibility, type PolicyVisibility } from './policy-visibility.ts'
import { type LoadedPolicy, onlyPolicies, type PolicySet, readContent } from './policy-set.ts'
import { findVersions, type PolicyRow } from './queries.ts'
import { requirePolicy, requireWholePolicy } from './require-policy.ts'

const byName = new Intl.Collator('en', { numeric: true })

/** Policies that are at least partly visible, with only their visible part. */
export async function listVisiblePolicies(db: Db, caller: Caller, set: PolicySet): Promise<Policy[]> {
  const visibleScope = await createPolicyVisibility(db, caller, set, { counting: true })
  const names = await findNames(db)
  return [...set.policies.values()]
    .flatMap((policy) =>
      policy.row !== undefined && visibleScope.sees(policy)
        ? [viewOne(policy, policy.row, { visibleScope, names })]
        : [],
    )
    .toSorted((a, b) => byName.compare(a.name, b.name))
}

export async function viewPolicy(db: Db, caller: Caller, set: PolicySet, id: number): Promise<Policy> {
  const policy = await requirePolicy(db, caller, set, id)
  const visibleScope = await createPolicyVisibility(db, caller, onlyPolicies(set, new Set([id])), {
    counting: true,
  })
  return viewOne(policy, policy.row, { visibleScope, names: await findNames(db) })
}

export async function viewVersions(
  db: Db,
  caller: Caller,
  set: PolicySet,
  id: number,
): Promise<PolicyVersion[]> {
  await requireWholePolicy(db, caller, set, id)
  return (await findVersions(db, id)).map(({ version, at, by_user, reason, document }) => {
    // Stored by store-save.ts with the contract's schema.
    const policy = JSON.parse(document) as PolicyVersion['policy']
    const content = readContent(JSON.stringify(policy.content))
    return { version, at, by: by_user, reason, policy: { ...policy, content } }
  })
}

/** The visible machines that a policy applies to, by name. */
export async function viewRelations(db: Db, caller: Caller, set: PolicySet, id: number) {
  await requirePolicy(db, caller, set, id)
  const visibleScope = await createPolicyVisibility(db, caller, set)
  const machines = await findMachines(db, { withText: set.hasSearches })
  const agents = machines.flatMap((machine) => {
    if (!visibleScope.seesAgent(machine.agent_id)) return []
    const link = set.chainOf(machine).find(({ policy, outcome }) => policy === id && outcome === 'applies')
    if (link === undefined) return []
    const { agent_id, hostname, client_name, site_name } = machine
    return [{ agent_id, hostname, client_name, site_name, level: link.assignment.level }]
  })
  return { agents: agents.toSorted((a, b) => byName.compare(a.hostname, b.hostname)) }
}

interface Names {
  clients: Map<number, string>
  sites: Map<number, string>
  agents: Map<string, string>
}

function viewOne(
  policy: LoadedPolicy,
  row: PolicyRow,
  { visibleScope, names }: { visibleScope: PolicyVisibility; names: Names },
): Policy {
  const { document } = policy
  const targets = document.targets.filter((target) => visibleScope.seesTarget(target))
  const excluded_clients = document.excluded_clients.filter((id) => visibleScope.seesClient(id))
  const excluded_sites = document.excluded_sites.filter((id) => visibleScope.seesSite(id))
  const excluded_agents = document.excluded_agents.filter((id) => visibleScope.seesAgent(id))
  const idsOf = <Id>(level: string, more: Id[]): Id[] => [
    ...new Set([
      // Ids of one level have one type.
      ...targets.flatMap((target) => ('id' in target && target.level === level ? [target.id as Id] : [])),
      ...more,
    ]),
  ]
  const isDefault = (slot: 'server' | 'workstation') =>
    targets.some((target) => target.level === 'default' && (target.monitoring_type ?? slot) === slot)
  return {
    ...document,
    id: row.id,
    targets,
    excluded_clients,
    excluded_sites,
    excluded_agents,
    names: {
      clients: named(idsOf('client', excluded_clients), names.clients),
      sites: named(idsOf('site', excluded_sites), names.sites),
      agents: named(idsOf('agent', excluded_agents), names.agents),
    },
    version: row.version,
    winupdatepolicy: hasWinUpdate(document.content.patches)
      ? [{ id: row.id, policy: row.id, ...viewWinUpdate(document.content.patches, 'inherit') }]
      : [],
    agents_count: visibleScope.countReached(row.id),
    default_server_policy: isDefault('server'),
    default_workstation_policy: isDefault('workstation'),
    created_by: row.created_by,
    modified: row.modified,
    modified_by: row.modified_by,
    is_whole: visibleScope.seesWhole(policy),
  }
}

function named<Id extends string | number>(ids: Id[], names: ReadonlyMap<Id, string>) {
  return ids.flatMap((id) => {
    const name = names.get(id)
    return name === undefined ? [] : [{ id, name }]
  })
}

async function findNames(db: Db): Promise<Names> {
  const clients = await db.selectFrom('clients').select(['id', 'name']).execute()
  const sites = await db
    .selectFrom('sites')
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .select(['sites.id', 'sites.name', 'clients.name as client'])
    .execute()
  const agents = await db
    .selectFrom('agents')
    .select(['agent_id', 'hostname'])
    .where((eb) =>
      eb.or([
        eb(
          'agent_id',
          'in',
          eb.selectFrom('policy_targets').select('agent_id').where('agent_id', 'is not', null),
        ),
        eb(
          'agent_id',
          'in',
          eb.selectFrom('policy_exclusions').select('agent_id').where('agent_id', 'is not', null),
        ),
      ]),
    )
    .execute()
  return {
    clients: new Map(clients.map(({ id, name }) => [id, name])),
    sites: new Map(sites.map(({ id, name, client }) => [id, `${client}, ${name}`])),
    agents: new Map(agents.map(({ agent_id, hostname }) => [agent_id, hostname])),
  }
}
