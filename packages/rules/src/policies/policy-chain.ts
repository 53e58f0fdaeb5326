import type { TargetMachine } from '../agents/machine-target.ts'

/**
 * Which policies apply to a machine, from the nearest assignment to the furthest, and why others do not. The content
 * of policies is handled in policy-merge.ts.
 */

/** In order of precedence. A search selects machines directly, so it precedes their site. */
export const POLICY_LEVELS = ['agent', 'search', 'site', 'client', 'default'] as const
export type PolicyLevel = (typeof POLICY_LEVELS)[number]
export type PolicySlot = 'server' | 'workstation'

export type PolicyOutcome =
  | 'applies'
  /** The same policy applies from a nearer assignment. */
  | 'came_before'
  | 'other_type'
  | 'inactive'
  | 'excluded_agent'
  | 'excluded_site'
  | 'excluded_client'
  | 'blocked_by_agent'
  | 'blocked_by_site'
  | 'blocked_by_client'

export interface ChainPolicy {
  id: number
  active: boolean
  excluded_clients: readonly number[]
  excluded_sites: readonly number[]
  excluded_agents: readonly string[]
}

/** An assignment of a policy. */
export type PolicyAssignment = {
  policy: number
  /** Several policies at one target apply in this order. */
  position: number
} & (
  | { level: 'default'; monitoring_type: PolicySlot | null }
  | { level: 'client' | 'site'; id: number; monitoring_type: PolicySlot | null }
  | { level: 'agent'; id: string }
  | { level: 'search'; search: string }
)

export interface ChainMachine {
  agent_id: string
  site_id: number
  client_id: number
  /** Null for a whole site: policies for one type only do not apply to it. */
  monitoring_type: PolicySlot | null
  /** The flags "block policy inheritance" of the machine, its site and its client. */
  blocks: { agent: boolean; site: boolean; client: boolean }
  /** For searches; undefined for a whole site. */
  target: () => TargetMachine | undefined
}

export interface ChainLink<Assignment = PolicyAssignment> {
  policy: number
  assignment: Assignment
  outcome: PolicyOutcome
}

/** Whether a machine matches a search assignment. */
export type CompileTarget = (search: string) => (machine: TargetMachine | undefined) => boolean

/**
 * The chains of machines under these policies. Created once for many machines: each lookup needs a handful of
 * assignments, whatever the number of policies.
 */
export function compilePolicyChain<Assignment extends PolicyAssignment>(
  policies: readonly ChainPolicy[],
  assignments: readonly Assignment[],
  compileTarget: CompileTarget,
): (machine: ChainMachine) => ChainLink<Assignment>[] {
  const byId = new Map(policies.map((policy) => [policy.id, excluding(policy)]))
  const known = assignments.filter(({ policy }) => byId.has(policy)).toSorted(inOrder)
  const assignmentsByTarget = Map.groupBy(known, targetKeyOf)
  const searches = known.flatMap((assignment) =>
    assignment.level === 'search' ? [{ assignment, fits: compileTarget(assignment.search) }] : [],
  )
  const at = (target: string) => assignmentsByTarget.get(target) ?? []
  return (machine) => {
    const candidates = [
      ...at(`agent ${machine.agent_id}`),
      ...searches.filter(({ fits }) => fits(machine.target())).map(({ assignment }) => assignment),
      ...at(`site ${machine.site_id}`),
      ...at(`client ${machine.client_id}`),
      ...at('default'),
    ]
    const applied = new Set<number>()
    return candidates.map((assignment) => {
      // `known` holds assignments of known policies only.
      const policy = byId.get(assignment.policy)!
      const refused = refusalOf(policy, assignment, machine)
      const outcome = refused ?? (applied.has(assignment.policy) ? 'came_before' : 'applies')
      if (outcome === 'applies') applied.add(assignment.policy)
      return { policy: assignment.policy, assignment, outcome }
    })
  }
}

interface Excluding {
  active: boolean
  clients: ReadonlySet<number>
  sites: ReadonlySet<number>
  agents: ReadonlySet<string>
}

function excluding(policy: ChainPolicy): Excluding {
  return {
    active: policy.active,
    clients: new Set(policy.excluded_clients),
    sites: new Set(policy.excluded_sites),
    agents: new Set(policy.excluded_agents),
  }
}

function refusalOf(
  policy: Excluding,
  assignment: PolicyAssignment,
  machine: ChainMachine,
): PolicyOutcome | undefined {
  const { level } = assignment
  const slot = 'monitoring_type' in assignment ? assignment.monitoring_type : null
  if (slot !== null && slot !== machine.monitoring_type) return 'other_type'
  if (machine.blocks.agent && level !== 'agent') return 'blocked_by_agent'
  if (machine.blocks.site && (level === 'client' || level === 'default')) return 'blocked_by_site'
  if (machine.blocks.client && level === 'default') return 'blocked_by_client'
  if (!policy.active) return 'inactive'
  if (policy.agents.has(machine.agent_id)) return 'excluded_agent'
  if (policy.sites.has(machine.site_id)) return 'excluded_site'
  return policy.clients.has(machine.client_id) ? 'excluded_client' : undefined
}

function targetKeyOf(assignment: PolicyAssignment): string {
  return 'id' in assignment ? `${assignment.level} ${assignment.id}` : assignment.level
}

function inOrder(a: PolicyAssignment, b: PolicyAssignment): number {
  return a.position - b.position || a.policy - b.policy
}
