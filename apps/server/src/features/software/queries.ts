import { type PackageSource, PackageState } from '@muster/contract/agent/software'
import { type ExpressionBuilder, sql, type SqlBool } from 'kysely'
import { z } from 'zod'
import type { Database, Db } from '../../platform/database/database.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Scope } from '../../platform/http/caller.ts'

const PackageStates = z.array(PackageState)

/** The stored states of a package. */
export function readStates(states: string | null): z.infer<typeof PackageStates> {
  return PackageStates.parse(states?.split(' ') ?? [])
}

export function findInventory(db: Db, agent: number) {
  return db.selectFrom('software_inventories').selectAll().where('agent', '=', agent).executeTakeFirst()
}

/** Whether the stored list of a machine has this hash. */
export async function hasInventory(db: Db, agentId: string, hash: string): Promise<boolean> {
  const found = await db
    .selectFrom('software_inventories')
    .innerJoin('agents', 'agents.id', 'software_inventories.agent')
    .select('agent')
    .where('agent_id', '=', agentId)
    .where('hash', '=', hash)
    .executeTakeFirst()
  return found !== undefined
}

export function findSoftwareOf(db: Db, agent: number) {
  return db
    .selectFrom('machine_software')
    .innerJoin('software_packages', 'software_packages.id', 'machine_software.package')
    .select(['title', 'name', 'publisher', 'source', 'version', 'size', 'install_date', 'uninstall'])
    .select(['available', 'package_id', 'states'])
    .where('agent', '=', agent)
    .orderBy('sort_name')
    .orderBy('version')
    .execute()
}

export interface TitleFilter {
  search: string
  source?: PackageSource | undefined
  /** Only packages that some machine can upgrade. */
  upgradable: boolean
  sort: 'name' | '-name'
  page: number
  page_size: number
}

/** One page of the packages on machines in scope, and the total. */
export async function findTitles(db: Db, { scope }: { scope: Scope }, filter: TitleFilter) {
  const words = filter.search.toLowerCase().split(/\s+/).filter((word) => word !== '') // prettier-ignore
  let found = db.selectFrom('software_packages').where((eb) =>
    eb.exists(
      eb
        .selectFrom('machine_software')
        .select('machine_software.agent')
        .whereRef('package', '=', 'software_packages.id')
        .$if(filter.upgradable, (query) => query.where('available', 'is not', null))
        .$if(!scope.all, (query) => query.where(isInScope(scope))),
    ),
  )
  for (const word of words)
    found = found.where(sql<SqlBool>`search_text like ${`%${escapeLike(word)}%`} escape '!'`)
  if (filter.source !== undefined) found = found.where('source', '=', filter.source)
  const rows = await found
    .select((eb) => [
      'title',
      eb.fn.min('name').as('name'),
      eb.fn.min('publisher').as('publisher'),
      eb.fn.min('source').as('source'),
      // Counted over the groups before paging: a second query would read all names again.
      sql<number>`count(*) over ()`.as('total'),
    ])
    .groupBy('title')
    .orderBy((eb) => eb.fn.min('sort_name'), filter.sort === 'name' ? 'asc' : 'desc')
    .orderBy('title')
    .limit(filter.page_size)
    .offset((filter.page - 1) * filter.page_size)
    .execute()
  return { total: Number(rows[0]?.total ?? 0), rows }
}

/** Number of machines in scope per version of these packages. */
export function countVersions(db: Db, { scope }: { scope: Scope }, titles: readonly string[]) {
  return selectInstalls(db, scope, titles)
    .select((eb) => ['title', 'version', eb.fn.countAll<number>().as('machines')])
    .groupBy(['title', 'version'])
    .execute()
}

/** Number of machines in scope per package. One with two versions counts once. */
export function countMachines(db: Db, { scope }: { scope: Scope }, titles: readonly string[]) {
  return selectInstalls(db, scope, titles)
    .select((eb) => ['title', eb.fn.count<number>('agent').distinct().as('machines')])
    .groupBy('title')
    .execute()
}

/** Number of machines in scope per package that could have a newer version. */
export function countUpgradable(db: Db, { scope }: { scope: Scope }, titles: readonly string[]) {
  return selectInstalls(db, scope, titles)
    .select((eb) => ['title', eb.fn.count<number>('agent').distinct().as('machines')])
    .where('available', 'is not', null)
    .groupBy('title')
    .execute()
}

/** Names of Chocolatey packages on machines in scope. */
export function findChocolateyNames(db: Db, { scope }: { scope: Scope }) {
  return db
    .selectFrom('software_packages')
    .innerJoin('machine_software', 'machine_software.package', 'software_packages.id')
    .select('name')
    .distinct()
    .where('source', '=', 'chocolatey')
    .$if(!scope.all, (query) => query.where(isInScope(scope)))
    .orderBy('name')
    .execute()
}

export function findMachinesWith(db: Db, { scope }: { scope: Scope }, title: string) {
  return db
    .selectFrom('software_packages')
    .innerJoin('machine_software', 'machine_software.package', 'software_packages.id')
    .innerJoin('agents', 'agents.id', 'machine_software.agent')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .select(['agents.agent_id', 'hostname', 'plat', 'clients.name as client', 'sites.name as site'])
    .select(['software_packages.name', 'software_packages.version', 'publisher', 'install_date'])
    .select(['source', 'available', 'package_id'])
    .where('title', '=', title)
    .where(visibleTo({ scope }))
    .orderBy('hostname')
    .orderBy('software_packages.version')
    .execute()
}

function selectInstalls(db: Db, scope: Scope, titles: readonly string[]) {
  return db
    .selectFrom('software_packages')
    .innerJoin('machine_software', 'machine_software.package', 'software_packages.id')
    .where('title', 'in', titles)
    .$if(!scope.all, (query) => query.where(isInScope(scope)))
}

/** Filters machine_software by machine. With access to all, nothing is joined. */
function isInScope(scope: Scope) {
  return (eb: ExpressionBuilder<Database, 'machine_software'>) =>
    eb.exists(
      eb
        .selectFrom('agents')
        .innerJoin('sites', 'sites.id', 'agents.site_id')
        .select('agents.id')
        .whereRef('agents.id', '=', 'machine_software.agent')
        .where(visibleTo({ scope })),
    )
}

const escapeLike = (word: string) => word.replaceAll(/[!%_]/g, (sign) => `!${sign}`)
