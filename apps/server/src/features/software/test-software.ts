import { createHash } from 'node:crypto'
import type { InstalledPackage, SoftwareReport } from '@muster/contract/agent/software'

export function known(name: string, version: string, more: Partial<InstalledPackage> = {}): InstalledPackage {
  const none = { publisher: '', size: null, install_date: null, uninstall: null }
  return { name, version, source: 'dpkg', ...none, ...more }
}

/** The report of a machine with these packages. */
export function reportOf(
  packages: InstalledPackage[],
  leftOut = 0,
  more: Pick<NonNullable<SoftwareReport['inventory']>, 'managers' | 'upgrades_problem'> = {},
) {
  const inventory = { packages, left_out: leftOut, ...more }
  const hash = createHash('sha256').update(JSON.stringify(inventory)).digest('hex').slice(0, 32)
  return { kind: 'software', hash, inventory } satisfies SoftwareReport
}
