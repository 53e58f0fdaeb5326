import type { PackageChange } from './package-change.ts'
import { isComplete, type PackageState } from './package-states.ts'

export const WANTED_STATES = ['present', 'latest', 'absent'] as const
export type WantedState = (typeof WANTED_STATES)[number]

const TEXTS: Record<WantedState, string> = {
  present: 'installed',
  latest: 'newest version',
  absent: 'not installed',
}

/** `7zip: newest version`. */
export function describeWanted({
  names,
  state,
  in_windows,
}: {
  names: readonly string[]
  state: WantedState
  in_windows: boolean
}): string {
  return `${names.join(' or ')}: ${TEXTS[state]}${in_windows ? ', in maintenance windows' : ''}`
}

/** The change that a machine needs. `installed`: its packages with one of the names. Undefined = it is as wanted. */
export function changeFor(
  state: WantedState,
  installed: readonly { available: string | null; states: readonly PackageState[] }[],
): PackageChange | undefined {
  if (state === 'absent') return installed.length === 0 ? undefined : 'remove'
  // Installing again completes an installation that was interrupted.
  if (!installed.some(({ states }) => isComplete(states))) return 'install'
  const isOutdated = installed.some(({ available }) => available !== null)
  return state === 'latest' && isOutdated ? 'upgrade' : undefined
}
