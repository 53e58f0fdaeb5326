import type { InstalledPackage } from '@muster/contract/agent/software'
import { toSortKey } from '@muster/rules/search/tree-order'
import { createHash } from 'node:crypto'
import type { Db } from '../../platform/database/database.ts'
import { chunk, storable } from '../../platform/database/sql.ts'

/** A package of a machine, as stored in its rows. */
interface Installed extends Omit<InstalledPackage, 'available' | 'package_id' | 'states'> {
  digest: string
  title: string
  available: string | null
  package_id: string | null
  states: string | null
}

/** Replaces the packages of a machine. Returns removed and added versions. */
export async function replaceSoftware(
  tx: Db,
  agent: number,
  packages: readonly InstalledPackage[],
): Promise<{ removed: { title: string; name: string; version: string }[]; added: Installed[] }> {
  const now = new Map(packages.map(toInstalled).map((one) => [one.digest, one]))
  const before = await findInstalled(tx, agent)
  const gone = before.filter(({ digest }) => !now.has(digest))
  const old = new Map(before.map((row) => [row.digest, row]))
  const added = [...now.values()].filter(({ digest }) => !old.has(digest))
  const touched = [...now.values()].filter((one) => hasOtherDetails(old.get(one.digest), one))
  for (const slice of chunk(gone))
    await tx
      .deleteFrom('machine_software')
      .where('agent', '=', agent)
      .where(
        'package',
        'in',
        slice.map((row) => row.package),
      ) // prettier-ignore
      .execute()
  const ids = await findOrAddPackages(tx, added)
  for (const row of before) ids.set(row.digest, row.package)
  for (const slice of chunk([...added, ...touched]))
    await tx
      .insertInto('machine_software')
      .values(slice.flatMap((one) => rowOf(agent, ids.get(one.digest), one)))
      .onConflict((conflict) =>
        conflict.columns(['agent', 'package']).doUpdateSet((eb) => ({
          size: eb.ref('excluded.size'),
          install_date: eb.ref('excluded.install_date'),
          uninstall: eb.ref('excluded.uninstall'),
          available: eb.ref('excluded.available'),
          package_id: eb.ref('excluded.package_id'),
          states: eb.ref('excluded.states'),
        })),
      )
      .execute()
  return { removed: gone, added }
}

function toInstalled(one: InstalledPackage): Installed {
  // Compared in the stored form. Otherwise a hostile name would differ each time.
  const clean = {
    ...one,
    name: text(one.name),
    publisher: text(one.publisher),
    version: text(one.version),
    available: one.available === undefined ? null : text(one.available),
    package_id: one.package_id ?? null,
    states: one.states?.join(' ') || null,
  }
  return { ...clean, digest: packageKey(clean), title: titleOf(clean) }
}

const text = (raw: string) => String(storable(raw))

function findInstalled(tx: Db, agent: number) {
  return tx
    .selectFrom('machine_software')
    .innerJoin('software_packages', 'software_packages.id', 'machine_software.package')
    .select([
      'package',
      'digest',
      'title',
      'name',
      'version',
      'size',
      'install_date',
      'uninstall',
      'available',
      'package_id',
      'states',
    ])
    .where('agent', '=', agent)
    .execute()
}

const DETAILS = ['install_date', 'uninstall', 'available', 'package_id', 'states'] as const
type Details = Pick<Installed, 'size' | (typeof DETAILS)[number]>

function hasOtherDetails(before: Details | undefined, now: Details): boolean {
  if (before === undefined) return false
  const size = before.size === null ? null : Number(before.size)
  return size !== now.size || DETAILS.some((name) => before[name] !== now[name])
}

async function findOrAddPackages(tx: Db, added: readonly Installed[]): Promise<Map<string, number>> {
  const ids = await findPackages(tx, added)
  // In a fixed order, so that two processes that add the same ones cannot deadlock.
  const missing = added
    .filter(({ digest }) => !ids.has(digest))
    .toSorted((a, b) => (a.digest < b.digest ? -1 : 1))
  if (missing.length === 0) return ids
  for (const slice of chunk(missing))
    await tx
      .insertInto('software_packages')
      .values(
        slice.map(({ digest, title, name, publisher, source, version }) => ({
          digest,
          title,
          name,
          publisher,
          source,
          version,
          search_text: `${name} ${publisher}`.toLowerCase(),
          sort_name: toSortKey(name),
        })),
      )
      .onConflict((conflict) => conflict.column('digest').doNothing())
      .execute()
  for (const [digest, id] of await findPackages(tx, missing)) ids.set(digest, id)
  return ids
}

async function findPackages(tx: Db, wanted: readonly Installed[]): Promise<Map<string, number>> {
  const ids = new Map<string, number>()
  for (const slice of chunk(wanted)) {
    const rows = await tx
      .selectFrom('software_packages')
      .select(['id', 'digest'])
      .where(
        'digest',
        'in',
        slice.map(({ digest }) => digest),
      ) // prettier-ignore
      .execute()
    for (const { id, digest } of rows) ids.set(digest, id)
  }
  return ids
}

function rowOf(agent: number, id: number | undefined, one: Installed) {
  if (id === undefined) return []
  const { size, install_date, uninstall, available, package_id, states } = one
  return [{ agent, package: id, size, install_date, uninstall, available, package_id, states }]
}

/** Installers sometimes share a name. In a repository a name is one package, even if its maintainer changes. */
const BY_PUBLISHER: ReadonlySet<InstalledPackage['source']> = new Set(['windows', 'apps'])

type Named = Pick<InstalledPackage, 'name' | 'publisher' | 'source' | 'version'>

/** The identity of a package, independent of its version. */
export function titleOf({ name, publisher, source }: Omit<Named, 'version'>): string {
  return digest([source, name, BY_PUBLISHER.has(source) ? publisher : ''])
}

function packageKey({ name, publisher, source, version }: Named): string {
  return digest([source, name, publisher, version])
}

function digest(parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}
