import type { MaintenanceTarget, MaintenanceWindow } from '@muster/contract/api/maintenance'

import { describeSchedule } from './schedule-labels.ts'

type Format = (instant: string) => string

export type WindowState = 'on' | 'planned' | 'over'

export function stateOf({ active, next_start: next }: MaintenanceWindow): WindowState {
  if (active) return 'on'
  return next === null ? 'over' : 'planned'
}

/** `Active until Nov-21-2026 - 18:35`. */
export function describeState(window: MaintenanceWindow, format: Format): string {
  switch (stateOf(window)) {
    case 'on':
      return window.active_until === null
        ? 'Active, no end time'
        : `Active until ${format(window.active_until)}`
    case 'planned':
      return `Next ${format(window.next_start ?? '')}`
    case 'over':
      return 'Ended'
  }
}

/** Active windows first, then planned ones by start, ended ones last. */
export function sortWindows(windows: readonly MaintenanceWindow[]): MaintenanceWindow[] {
  const order = { on: 0, planned: 1, over: 2 }
  const key = (window: MaintenanceWindow) => `${order[stateOf(window)]} ${window.next_start ?? ''}`
  return windows.toSorted((a, b) => key(a).localeCompare(key(b)) || b.id - a.id)
}

/** The windows that contain every word of the search. */
export function findWindows(windows: readonly MaintenanceWindow[], search: string): MaintenanceWindow[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return windows.filter(({ targets, schedule, reason, created_by }) => {
    const names = targets.map(({ name }) => name)
    const text = [...names, describeSchedule(schedule), reason, created_by].join('\n').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** `Acme, Berlin and 2 more`. */
export function describeTargets({ targets }: Pick<MaintenanceWindow, 'targets'>): string {
  const [first] = targets
  if (first === undefined) return 'No targets left'
  return targets.length === 1 ? first.name : `${first.name} and ${targets.length - 1} more`
}

/** The location of a target: a machine has all three ids, a site two, a client one or with its sites. */
export interface Covered {
  agentId?: string
  siteIds: readonly number[]
  clientId: number
}

/** The active window of a target; of several the one that ends last. */
export function findWindowOn(
  windows: readonly MaintenanceWindow[],
  { agentId, siteIds, clientId }: Covered,
): MaintenanceWindow | undefined {
  const ids = new Set<string>([`client-${clientId}`, ...siteIds.map((id) => `site-${id}`)])
  if (agentId !== undefined) ids.add(`agent-${agentId}`)
  const end = ({ active_until: until }: MaintenanceWindow) => until ?? 'for ever'
  return windows
    .filter(({ active, targets }) => active && targets.some(({ type, id }) => ids.has(`${type}-${id}`)))
    .toSorted((a, b) => end(b).localeCompare(end(a)))[0]
}

/** `In maintenance until Nov-21-2026 - 18:35: New disks`. */
export function describeMaintenance(window: MaintenanceWindow | undefined, format: Format): string {
  if (window === undefined) return 'In maintenance mode with no end time'
  const until = window.active_until === null ? 'with no end time' : `until ${format(window.active_until)}`
  return `In maintenance ${until}${window.reason === '' ? '' : `: ${window.reason}`}`
}

/** A target as a text, as addresses and lists have it: `client-3`. */
export function writeTarget({ type, id }: { type: string; id: number | string }): string {
  return `${type}-${id}`
}

/** The API's form of `client-3`; undefined if invalid. */
export function readTarget(text: string): MaintenanceTarget | undefined {
  const [, type, id = ''] = /^(client|site|agent)-([A-Za-z0-9]{1,64})$/.exec(text) ?? []
  if (type === 'agent') return { type, id }
  return (type === 'client' || type === 'site') && Number.isInteger(Number(id))
    ? { type, id: Number(id) }
    : undefined
}
