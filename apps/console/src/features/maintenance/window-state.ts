import type { MaintenanceWindow } from '@muster/contract/api/maintenance'

type Format = (instant: string) => string

export type WindowState = 'on' | 'planned' | 'over'

export function stateOf({ active, next_start: next }: MaintenanceWindow): WindowState {
  if (active) return 'on'
  return next === null ? 'over' : 'planned'
}

/** `On until Nov-21-2026 - 18:35`. */
export function describeState(window: MaintenanceWindow, format: Format): string {
  switch (stateOf(window)) {
    case 'on':
      return window.active_until === null ? 'On until ended' : `On until ${format(window.active_until)}`
    case 'planned':
      return `Next ${format(window.next_start ?? '')}`
    case 'over':
      return 'Over'
  }
}

/** Those that are on first, then in the order in which they begin, those that are over last. */
export function sortWindows(windows: readonly MaintenanceWindow[]): MaintenanceWindow[] {
  const order = { on: 0, planned: 1, over: 2 }
  const key = (window: MaintenanceWindow) => `${order[stateOf(window)]} ${window.next_start ?? ''}`
  return windows.toSorted((a, b) => key(a).localeCompare(key(b)) || b.id - a.id)
}

/** `Acme, Berlin and 2 more`. */
export function describeTargets({ targets }: Pick<MaintenanceWindow, 'targets'>): string {
  const [first] = targets
  if (first === undefined) return 'Nothing any more'
  return targets.length === 1 ? first.name : `${first.name} and ${targets.length - 1} more`
}

/** Where something stands: a machine by all three, a site by two, a client alone or with its sites. */
export interface Covered {
  agentId?: string
  siteIds: readonly number[]
  clientId: number
}

/** The window that is on for it; of several the one that lasts longest. */
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
  if (window === undefined) return 'In maintenance mode until somebody switches it off'
  const until =
    window.active_until === null ? 'until somebody ends it' : `until ${format(window.active_until)}`
  return `In maintenance ${until}${window.reason === '' ? '' : `: ${window.reason}`}`
}
