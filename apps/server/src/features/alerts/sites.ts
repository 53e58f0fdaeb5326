import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { chunk } from '../../platform/database/sql.ts'
import { isWatched, overdueAt } from './overdue.ts'

/** The combined state of the machines of a site. */
export interface SiteState {
  name: string
  client_name: string
  machines: number
  /** At least two machines, all watched and overdue. */
  isDown: boolean
  /** It will be down within a moment, unless a machine reconnects. */
  isGoingDown: boolean
  isInMaintenance: boolean
}

/** Machines of a site without power do not fall silent in the same second. */
const MOMENT_MS = 60_000
const MIN_MACHINES = 2

/** Machines that never reported do not count. */
export async function findSites(
  ctx: Pick<Context, 'engine' | 'now'>,
  db: Db,
  siteIds: readonly number[],
): Promise<Map<number, SiteState>> {
  const now = ctx.now()
  const soon = new Date(now.getTime() + MOMENT_MS).toISOString()
  const isDown = overdueAt(ctx.engine, now.toISOString())
  const isSilent = overdueAt(ctx.engine, soon)
  const sites = new Map<number, SiteState>()
  for (const slice of chunk([...new Set(siteIds)])) {
    const rows = await db
      .selectFrom('agents')
      .innerJoin('sites', 'sites.id', 'agents.site_id')
      .innerJoin('clients', 'clients.id', 'sites.client_id')
      .select(['sites.id', 'sites.name', 'clients.name as client_name'])
      .select(({ fn }) => fn.countAll<number>().as('machines'))
      .select(sql<number>`sum(case when ${isWatched} then 1 else 0 end)`.as('watched'))
      .select(sql<number>`sum(case when ${isDown} then 1 else 0 end)`.as('down'))
      .select(sql<number>`sum(case when ${isSilent} then 1 else 0 end)`.as('silent'))
      .select(({ fn }) => fn.sum<number>('agents.maintenance_mode').as('maintained'))
      .where('agents.site_id', 'in', slice)
      .where('agents.last_seen', 'is not', null)
      .groupBy(['sites.id', 'sites.name', 'clients.name'])
      .execute()
    for (const { id, name, client_name, ...counts } of rows) {
      const machines = Number(counts.machines)
      const isWhole = machines >= MIN_MACHINES && Number(counts.watched) === machines
      sites.set(id, {
        name,
        client_name,
        machines,
        isDown: isWhole && Number(counts.down) === machines,
        isGoingDown: isWhole && Number(counts.silent) === machines,
        isInMaintenance: Number(counts.maintained) === machines,
      })
    }
  }
  return sites
}
