import type { PolicyTarget } from '@muster/contract/api/policies'
import type { PolicyPlan } from '@muster/contract/policies/place-policies'
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

/** Where a policy is assigned, as seen from a machine. */
export function describeLink({ level, search, monitoring_type }: Link): string {
  const where = level === 'search' ? `the search "${search ?? ''}"` : LEVELS[level]
  return monitoring_type === null ? where : `${where}, ${monitoring_type}s only`
}

/** Why a policy does not apply; nothing where it does. */
export function describeOutcome({ outcome, monitoring_type }: Link): string | undefined {
  switch (outcome) {
    case 'applies':
      return undefined
    case 'came_before':
      return 'The same policy reaches it from a nearer place already.'
    case 'other_type':
      return `It is for ${monitoring_type ?? 'other'}s only.`
    case 'inactive':
      return 'The policy is not active.'
    case 'excluded_agent':
      return 'The policy excludes this machine.'
    case 'excluded_site':
      return 'The policy excludes its site.'
    case 'excluded_client':
      return 'The policy excludes its client.'
    case 'blocked_by_agent':
      return 'The machine blocks policies from above.'
    case 'blocked_by_site':
      return 'Its site blocks policies from above.'
    case 'blocked_by_client':
      return 'Its client blocks policies from above.'
  }
}

export function describeSource(source: PolicySource): string {
  if (source.own) return source.place === undefined ? 'the machine itself' : PLACES[source.place]
  return `the policy ${source.policy_name}, assigned to ${LEVELS[source.level]}`
}

const PLACES = { site: 'its site', client: 'its client', default: 'the default' }

/** Why another one stands before it. */
export const LOST_WORDS: Record<Lost, string> = {
  enforced: 'An enforced policy stands before it.',
  own: 'What the machine has of its own stands before policies.',
  nearer: 'What is assigned nearer to the machine stands before it.',
  earlier: 'A policy of the same place stands before it in their order.',
  inactive: 'It is switched off.',
  excluded: 'It excludes this machine.',
}

/** Why the machine does not get what a policy has for it. */
export const UNFIT_WORDS: Record<EffectivePolicy['unfit'][number]['why'], string> = {
  other_system: 'is for other systems',
  inactive: 'is switched off',
  excluded: 'excludes this machine',
}

type PlanLine = PolicyPlan['lines'][number]

const CHANGE_WORDS: Record<PlanLine['change'], string> = {
  added: 'gets',
  removed: 'loses, with its history',
  changed: 'changes',
  overridden: 'gets, and its own rests',
  released: 'has its own again',
}

const TEMPLATE_CHANGE_WORDS: Record<PlanLine['change'], string> = {
  added: 'gets the alert template',
  removed: 'loses the alert template',
  changed: 'changes to the alert template',
  overridden: 'changes to the alert template',
  released: 'goes back to the alert template',
}

/** What happens to each machine. Settings and templates have no history. */
export function describeChange({ kind, change }: Pick<PlanLine, 'kind' | 'change'>): string {
  if (kind === 'alert_template') return TEMPLATE_CHANGE_WORDS[change]
  if (kind === 'agent_settings' && change === 'removed') return 'goes back from'
  return kind === 'agent_settings' && change === 'overridden' ? 'gets, before its own' : CHANGE_WORDS[change]
}

/** How a machine comes to a policy. */
export const LEVEL_WORDS: Record<Link['level'], string> = {
  agent: 'itself',
  search: 'by a search',
  site: 'by its site',
  client: 'by its client',
  default: 'as all machines',
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
