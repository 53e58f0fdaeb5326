import type { PolicyTarget } from '@muster/contract/api/policies'
import type { PolicyPlan } from '@muster/contract/policies/assigned-policies'
import type { EffectivePolicy, PolicySource } from '@muster/contract/policies/effective-policy'

type Link = EffectivePolicy['chain'][number]
type Lost = EffectivePolicy['items'][number]['overrode'][number]['lost']

const LEVELS: Record<Link['level'], string> = {
  agent: 'this machine',
  search: 'a search',
  site: 'its site',
  client: 'its client',
  default: 'all machines',
}

/** Where a policy is assigned, relative to a machine. */
export function describeLink({ level, search, monitoring_type }: Link): string {
  const where = level === 'search' ? `the search "${search ?? ''}"` : LEVELS[level]
  return monitoring_type === null ? where : `${where}, ${monitoring_type}s only`
}

/** Why a policy does not apply; undefined if it does. */
export function describeOutcome({ outcome, monitoring_type }: Link): string | undefined {
  switch (outcome) {
    case 'applies':
      return undefined
    case 'came_before':
      return 'A closer assignment of this policy applies.'
    case 'other_type':
      return `Only for ${monitoring_type ?? 'other'}s.`
    case 'inactive':
      return 'The policy is inactive.'
    case 'excluded_agent':
      return 'The policy excludes this machine.'
    case 'excluded_site':
      return 'The policy excludes its site.'
    case 'excluded_client':
      return 'The policy excludes its client.'
    case 'blocked_by_agent':
      return 'The machine blocks inheritance.'
    case 'blocked_by_site':
      return 'Its site blocks inheritance.'
    case 'blocked_by_client':
      return 'Its client blocks inheritance.'
  }
}

export function describeSource(source: PolicySource): string {
  if (source.own) return source.place === undefined ? 'the machine itself' : PLACES[source.place]
  return `the policy ${source.policy_name}, assigned to ${LEVELS[source.level]}`
}

const PLACES = { site: 'its site', client: 'its client', default: 'the default' }

/** Why another item overrides it. */
export const LOST_LABELS: Record<Lost, string> = {
  enforced: 'Overridden by an enforced policy.',
  own: 'Overridden by the settings of the machine.',
  nearer: 'Overridden by a closer assignment.',
  earlier: 'Overridden by a policy higher in the list.',
  inactive: 'Disabled.',
  excluded: 'Excludes this machine.',
}

/** Why the machine does not get an item of a policy. */
export const UNFIT_LABELS: Record<EffectivePolicy['unfit'][number]['why'], string> = {
  other_system: 'is for other systems',
  inactive: 'is disabled',
  excluded: 'excludes this machine',
}

type PlanLine = PolicyPlan['lines'][number]

const CHANGE_LABELS: Record<PlanLine['change'], string> = {
  added: 'Add',
  removed: 'Remove, with history',
  changed: 'Change',
  overridden: 'Add, overrides own',
  released: 'Restore own',
}

const TEMPLATE_CHANGE_LABELS: Record<PlanLine['change'], string> = {
  added: 'Add alert template',
  removed: 'Remove alert template',
  changed: 'Change to alert template',
  overridden: 'Change to alert template',
  released: 'Restore alert template',
}

/** The change for each machine. Settings and templates have no history. */
export function describeChange({ kind, change }: Pick<PlanLine, 'kind' | 'change'>): string {
  if (kind === 'alert_template') return TEMPLATE_CHANGE_LABELS[change]
  if (kind === 'agent_settings' && change === 'removed') return 'Restore from'
  if ((kind === 'patches' || kind === 'software') && change === 'removed') return 'Remove'
  return kind === 'agent_settings' && change === 'overridden' ? 'Add, overrides own' : CHANGE_LABELS[change]
}

/** How a policy applies to a machine. */
export const LEVEL_LABELS: Record<Link['level'], string> = {
  agent: 'itself',
  search: 'by a search',
  site: 'by its site',
  client: 'by its client',
  default: 'via "All machines"',
}

const SLOTS = { server: 'servers', workstation: 'workstations' }

/** A target by its name, for lists. */
export function describeTarget(target: PolicyTarget, nameOf: (target: PolicyTarget) => string): string {
  const slot = 'monitoring_type' in target && target.monitoring_type
  const name = target.level === 'search' ? `"${target.search}"` : nameOf(target)
  return slot ? `${name} (${SLOTS[slot]})` : name
}

export function countMachines(count: number): string {
  return `${count} ${count === 1 ? 'machine' : 'machines'}`
}
