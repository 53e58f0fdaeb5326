import type { Policy } from '@muster/contract/api/policies'
import type { AssignedPolicies, PolicyOverview } from '@muster/contract/policies/assigned-policies'
import type { TreeLine } from '../../ui/table/tree-keys.ts'

type Assigned = AssignedPolicies['policies'][number]
export type AssignmentLevel = 'default' | 'client' | 'site' | 'search' | 'agent'

/** A line of the overview: a location, or a policy that is assigned there. */
export type OverviewLine = TreeLine &
  (
    | {
        kind: 'target'
        target: AssignmentLevel
        /** Target for assigning policies: `client-3`. */ assign?: string
      }
    | {
        kind: 'policy'
        policy: number
        active: boolean
        enforced: boolean
        /** The machines of the location: `servers`, or the search that matches them. */
        note: string
      }
  )

type AssignedPolicy = Pick<Policy, 'id' | 'name' | 'active' | 'enforced' | 'targets' | 'names'>

export interface OverviewData {
  clients: PolicyOverview
  /** Policies of all machines, in order. */
  everywhere: readonly Assigned[]
  policies: readonly AssignedPolicy[]
}

interface Branch {
  line: OverviewLine
  below: Branch[]
}

/** All assignments as lines from top to bottom; locations without policies only on request. */
export function listOverview(
  { clients, everywhere, policies }: OverviewData,
  { isOpen, showEmpty }: { isOpen: (id: string) => boolean; showEmpty: boolean },
): OverviewLine[] {
  const kept = (branches: Branch[]) => branches.filter(({ below }) => showEmpty || below.length > 0)
  const tops = kept([
    levelBranch('default', 'All machines', leaves('default-all', everywhere), 'default-all'),
    ...clients.map(({ id, name, policies: own, sites }) => {
      const ofSites = sites.map((site) =>
        levelBranch('site', site.name, leaves(`site-${site.id}`, site.policies), `site-${site.id}`),
      )
      return levelBranch('client', name, [...leaves(`client-${id}`, own), ...kept(ofSites)], `client-${id}`)
    }),
    levelBranch('search', 'By searches', spread(policies, 'search')),
    levelBranch('agent', 'Single machines', spread(policies, 'agent')),
  ])
  return draw(tops, 1, isOpen)
}

function draw(branches: readonly Branch[], level: number, isOpen: (id: string) => boolean): OverviewLine[] {
  return branches.flatMap(({ line, below }, index) => {
    const expanded = below.length === 0 ? undefined : isOpen(line.id)
    const drawn = { ...line, level, position: index + 1, siblings: branches.length, expanded }
    return expanded === true ? [drawn, ...draw(below, level + 1, isOpen)] : [drawn]
  })
}

// Its position is known once its branch is drawn.
const NOWHERE = { level: 0, position: 0, siblings: 0 }

function levelBranch(target: AssignmentLevel, label: string, below: Branch[], assign?: string): Branch {
  const id = assign ?? target
  return {
    line: { ...NOWHERE, kind: 'target', id, label, target, ...(assign === undefined ? {} : { assign }) },
    below,
  }
}

const SLOTS = { server: 'servers', workstation: 'workstations' }

function leaves(target: string, policies: readonly Assigned[]): Branch[] {
  return policies.map(({ id, name, active, enforced, monitoring_type }, index) =>
    leaf(
      `${target}/${id}.${index}`,
      { id, name, active, enforced },
      monitoring_type === null ? '' : SLOTS[monitoring_type],
    ),
  )
}

/** Policies assigned to searches or machines, once per assignment. */
function spread(policies: readonly AssignedPolicy[], level: 'search' | 'agent'): Branch[] {
  return policies.flatMap((policy) =>
    policy.targets.flatMap((target, index) => {
      if (target.level !== level) return []
      const note =
        target.level === 'search'
          ? target.search
          : (policy.names.agents.find(({ id }) => id === target.id)?.name ?? target.id)
      return [leaf(`${level}/${policy.id}.${index}`, policy, note)]
    }),
  )
}

function leaf(
  id: string,
  { id: policy, name, active, enforced }: Pick<Policy, 'id' | 'name' | 'active' | 'enforced'>,
  note: string,
): Branch {
  return { line: { ...NOWHERE, kind: 'policy', id, label: name, policy, active, enforced, note }, below: [] }
}
