/** Why an installed package differs from others, in the words of dpkg. `held` = not upgraded; `reinstall` = broken. */
export const PACKAGE_STATES = [
  'half-installed',
  'unpacked',
  'half-configured',
  'triggers-awaited',
  'triggers-pending',
  'reinstall',
  'held',
] as const
export type PackageState = (typeof PACKAGE_STATES)[number]

const TEXTS: Record<PackageState, string> = {
  'half-installed': 'half-installed',
  unpacked: 'unpacked, not configured',
  'half-configured': 'half-configured',
  'triggers-awaited': 'waits for triggers',
  'triggers-pending': 'triggers pending',
  reinstall: 'needs reinstallation',
  held: 'on hold',
}

const INCOMPLETE: ReadonlySet<PackageState> = new Set([
  'half-installed',
  'unpacked',
  'half-configured',
  'reinstall',
])

/** `half-configured, on hold`; empty for a package that is installed as usual. */
export function describePackageStates(states: readonly PackageState[]): string {
  return states.map((state) => TEXTS[state]).join(', ')
}

/** Whether a package can be used: its installation has ended well. */
export function isComplete(states: readonly PackageState[]): boolean {
  return !states.some((state) => INCOMPLETE.has(state))
}
