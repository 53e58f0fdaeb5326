export type PackageChange = 'install' | 'upgrade' | 'remove'

const VERBS: Record<PackageChange, string> = { install: 'Install', upgrade: 'Upgrade', remove: 'Remove' }

/** `Remove the package x11vnc or tigervnc`. */
export function describePackageChange(change: PackageChange, names: readonly string[]): string {
  return `${VERBS[change]} the package ${names.join(' or ')}`
}

/** Sources whose names are those of a package manager. */
const MANAGED: ReadonlySet<string> = new Set(['dpkg', 'rpm', 'chocolatey', 'homebrew'])
const NAME = /^[A-Za-z0-9][A-Za-z0-9+.:@_-]{0,199}$/

/** The name by which a package manager changes an installed package; null = none does. */
export function packageNameOf(one: {
  source: string
  name: string
  package_id: string | null
}): string | null {
  const name = MANAGED.has(one.source) ? one.name : one.package_id
  return name !== null && NAME.test(name) ? name : null
}
