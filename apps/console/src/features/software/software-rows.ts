import type { PackageSource } from '@muster/contract/agent/software'
import type { Software, SoftwareMachine } from '@muster/contract/api/software'
import { formatFileSize } from '@muster/rules/text/units'
import { describePackageStates } from '@muster/rules/agents/package-states'
import { toSortKey } from '@muster/rules/search/tree-order'
import type { TableSort } from '../../ui/table/data-column.ts'

export type PackageRow = Software['software'][number]

export const SOURCE_LABELS: Record<PackageSource, string> = {
  dpkg: 'dpkg',
  rpm: 'rpm',
  windows: 'Windows',
  chocolatey: 'Chocolatey',
  homebrew: 'Homebrew',
  apps: 'Applications',
}

export const packageRowKey = ({ source, name, version, publisher }: PackageRow) =>
  JSON.stringify([source, name, version, publisher])

export const sizeLabel = ({ size }: PackageRow) => (size === null ? '' : formatFileSize(size))

const VALUES: Record<string, (row: PackageRow) => number | string> = {
  name: ({ name }) => toSortKey(name),
  version: ({ version }) => toSortKey(version),
  // Those with a newer version first.
  available: ({ available, name }) => `${available === null ? 1 : 0} ${toSortKey(name)}`,
  publisher: ({ publisher }) => toSortKey(publisher),
  size: ({ size }) => size ?? -1,
  installed: ({ install_date }) => install_date ?? '',
  source: ({ source }) => SOURCE_LABELS[source],
}

/** Packages that contain all words, in the order of a column. */
export function findPackages(
  packages: readonly PackageRow[],
  search: string,
  { column, descending }: TableSort,
): PackageRow[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const valueOf = VALUES[column] ?? (({ name }: PackageRow) => toSortKey(name))
  const sign = descending ? -1 : 1
  return (
    packages
      .filter((row) => words.every((word) => textOf(row).includes(word)))
      // Read once per row: doing so in each comparison takes many times as long.
      .map((row) => ({ row, value: valueOf(row) }))
      .toSorted((a, b) => (a.value === b.value ? 0 : (a.value < b.value ? -1 : 1) * sign))
      .map(({ row }) => row)
  )
}

function textOf({ name, version, publisher, source, states }: PackageRow): string {
  return `${name} ${version} ${publisher} ${SOURCE_LABELS[source]} ${describePackageStates(states)}`.toLowerCase()
}

/** The packages as rows of a file. */
export function packagesTable(packages: readonly PackageRow[]): (string | number | null)[][] {
  return [
    ['Name', 'Version', 'Newer version', 'Publisher', 'Bytes', 'Installed', 'Source', 'State'],
    ...packages.map(({ name, version, available, publisher, size, install_date, source, states }) => [
      name,
      version,
      available,
      publisher,
      size,
      install_date,
      SOURCE_LABELS[source],
      describePackageStates(states),
    ]),
  ]
}

/** The machines that have a package as rows of a file. */
export function machinesTable(machines: readonly SoftwareMachine[]): (string | null)[][] {
  return [
    ['Package', 'Machine', 'Client', 'Site', 'Version', 'Newer version', 'Publisher', 'Installed'],
    ...machines.map(({ name, hostname, client, site, version, available, publisher, install_date }) => [
      name,
      hostname,
      client,
      site,
      version,
      available,
      publisher,
      install_date,
    ]),
  ]
}
