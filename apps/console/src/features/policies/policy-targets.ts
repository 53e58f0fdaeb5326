import type { PolicyDocument, PolicyTarget } from '@muster/contract/api/policies'
import { writeTarget } from '../maintenance/window-state.ts'

/** Targets and exclusions of a policy as choices of a form: `client-3`, `agent-PC12PC12`. */

type LocationTarget = Extract<PolicyTarget, { id: unknown }>
export type Slot = 'server' | 'workstation' | null

export const isLocation = (target: PolicyTarget): target is LocationTarget => 'id' in target

export function locationKey(target: LocationTarget): string {
  return `${target.level}-${target.id}`
}

/** The slot of all machines, where the policy is assigned to them. */
export function defaultSlot({ targets }: PolicyDocument): Slot | undefined {
  const found = targets.filter((target) => target.level === 'default')
  if (found.length === 0) return undefined
  return found.length > 1 ? null : (found[0]?.monitoring_type ?? null)
}

export function withDefault(targets: readonly PolicyTarget[], slot: Slot | undefined): PolicyTarget[] {
  const others = targets.filter(({ level }) => level !== 'default')
  return slot === undefined ? others : [{ level: 'default', monitoring_type: slot }, ...others]
}

/** The chosen targets, unchanged. */
export function withLocations(targets: readonly PolicyTarget[], keys: readonly string[]): PolicyTarget[] {
  const known = new Map(targets.filter(isLocation).map((target) => [locationKey(target), target]))
  const locations = keys.flatMap((key) => known.get(key) ?? readLocation(key) ?? [])
  return [...targets.filter((target) => !isLocation(target)), ...locations]
}

export function withSearches(targets: readonly PolicyTarget[], searches: readonly string[]): PolicyTarget[] {
  return [
    ...targets.filter(({ level }) => level !== 'search'),
    ...searches.map((search) => ({ level: 'search' as const, search })),
  ]
}

export function withSlot(targets: readonly PolicyTarget[], key: string, slot: Slot): PolicyTarget[] {
  return targets.map((target) =>
    isLocation(target) && target.level !== 'agent' && locationKey(target) === key
      ? { ...target, monitoring_type: slot }
      : target,
  )
}

export function exclusionKeys(document: PolicyDocument): string[] {
  return [
    ...document.excluded_clients.map((id) => writeTarget({ type: 'client', id })),
    ...document.excluded_sites.map((id) => writeTarget({ type: 'site', id })),
    ...document.excluded_agents.map((id) => writeTarget({ type: 'agent', id })),
  ]
}

export function readExclusions(keys: readonly string[]) {
  const locations = keys.flatMap((key) => readLocation(key) ?? [])
  return {
    excluded_clients: locations.flatMap((one) => (one.level === 'client' ? [one.id] : [])),
    excluded_sites: locations.flatMap((one) => (one.level === 'site' ? [one.id] : [])),
    excluded_agents: locations.flatMap((one) => (one.level === 'agent' ? [one.id] : [])),
  }
}

function readLocation(key: string): LocationTarget | undefined {
  const dash = key.indexOf('-')
  const level = key.slice(0, dash)
  const id = key.slice(dash + 1)
  if (level === 'agent') return { level, id }
  if (level !== 'client' && level !== 'site') return undefined
  return { level, id: Number(id), monitoring_type: null }
}
