import { MaintenanceSchedule, type MaintenanceTarget } from '@muster/contract/api/maintenance'
import { type Insertable, type Selectable, sql } from 'kysely'
import { activeOccurrence as findActive, type WindowTimes } from '@muster/rules/schedules/maintenance-opening'
import { nextOccurrence, type Occurrence } from '@muster/rules/schedules/maintenance-schedule'
import type { Db } from '../../platform/database/database.ts'
import type {
  MaintenanceTargetsTable,
  MaintenanceWindowsTable,
} from '../../platform/database/tables/agents.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Scope } from '../../platform/http/caller.ts'

export type WindowRow = Selectable<MaintenanceWindowsTable>
export type TargetRow = Omit<Selectable<MaintenanceTargetsTable>, 'id'>
type Viewer = { scope: Scope }

const SLICE = 1000

/** All windows, oldest first. */
export function findWindows(db: Db): Promise<WindowRow[]> {
  return db.selectFrom('maintenance_windows').selectAll().orderBy('id').execute()
}

export function findWindow(db: Db, id: number): Promise<WindowRow | undefined> {
  return db.selectFrom('maintenance_windows').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Machines covered by windows right now, one row per window. */
export function coveredAgents(db: Db) {
  return db
    .selectFrom('maintenance_targets as target')
    .innerJoin('agents', 'agents.agent_id', 'target.agent_id')
    .select(['target.window_id', 'agents.agent_id'])
    .union(
      db
        .selectFrom('maintenance_targets as target')
        .innerJoin('agents', 'agents.site_id', 'target.site_id')
        .select(['target.window_id', 'agents.agent_id']),
    )
    .union(
      db
        .selectFrom('maintenance_targets as target')
        .innerJoin('sites as below', 'below.client_id', 'target.client_id')
        .innerJoin('agents', 'agents.site_id', 'below.id')
        .select(['target.window_id', 'agents.agent_id']),
    )
}

/** Machines covered by one window right now. */
export function coveredBy(db: Db, windowId: number) {
  return db
    .selectFrom(coveredAgents(db).as('covered'))
    .where('covered.window_id', '=', windowId)
    .select('covered.agent_id')
}

/** Number of visible machines that each window covers. */
export async function countCovered(db: Db, caller: Viewer): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom(coveredAgents(db).as('covered'))
    .innerJoin('agents', 'agents.agent_id', 'covered.agent_id')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .where(visibleTo(caller))
    .select(['covered.window_id', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('covered.window_id')
    .execute()
  return new Map(rows.map(({ window_id, count }) => [window_id, Number(count)]))
}

export interface NamedTarget {
  window_id: number
  type: MaintenanceTarget['type']
  id: number | string
  name: string
}

/** Targets of windows that are at least partly visible. */
export async function findTargets(db: Db, caller: Viewer): Promise<NamedTarget[]> {
  const clients = await db
    .selectFrom('maintenance_targets as target')
    .innerJoin('clients', 'clients.id', 'target.client_id')
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('sites')
          .select('sites.id')
          .whereRef('sites.client_id', '=', 'clients.id')
          .where(visibleTo(caller)),
      ),
    )
    .select(['target.window_id', 'clients.id', 'clients.name'])
    .execute()
  const sites = await db
    .selectFrom('maintenance_targets as target')
    .innerJoin('sites', 'sites.id', 'target.site_id')
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .where(visibleTo(caller))
    .select(['target.window_id', 'sites.id', 'sites.name', 'clients.name as client'])
    .execute()
  const agents = await db
    .selectFrom('maintenance_targets as target')
    .innerJoin('agents', 'agents.agent_id', 'target.agent_id')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .where(visibleTo(caller))
    .select(['target.window_id', 'agents.agent_id as id', 'agents.hostname as name'])
    .execute()
  const targets: NamedTarget[] = [
    ...clients.map((row) => ({ type: 'client' as const, ...row })),
    ...sites.map(({ client, name, ...row }) => ({
      type: 'site' as const,
      ...row,
      name: `${client}, ${name}`,
    })),
    ...agents.map((row) => ({ type: 'agent' as const, ...row })),
  ]
  return targets.toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
}

export async function countTargets(db: Db, windowId: number): Promise<number> {
  const { count } = await db
    .selectFrom('maintenance_targets')
    .where('window_id', '=', windowId)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export function insertWindow(db: Db, row: Insertable<MaintenanceWindowsTable>): Promise<WindowRow> {
  return db.insertInto('maintenance_windows').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function updateWindow(
  db: Db,
  id: number,
  columns: Partial<Pick<WindowRow, 'reason' | 'schedule' | 'ended_at' | 'modified'>>,
): Promise<void> {
  await db.updateTable('maintenance_windows').set(columns).where('id', '=', id).execute()
}

export async function deleteWindows(db: Db, ids: readonly number[]): Promise<void> {
  for (let from = 0; from < ids.length; from += SLICE) {
    const slice = ids.slice(from, from + SLICE)
    await db.deleteFrom('maintenance_windows').where('id', 'in', slice).execute()
  }
}

export async function replaceTargets(db: Db, windowId: number, targets: MaintenanceTarget[]): Promise<void> {
  await db.deleteFrom('maintenance_targets').where('window_id', '=', windowId).execute()
  const rows = targets.map(({ type, id }): TargetRow => ({
    window_id: windowId,
    client_id: type === 'client' ? id : null,
    site_id: type === 'site' ? id : null,
    agent_id: type === 'agent' ? id : null,
  }))
  for (let from = 0; from < rows.length; from += SLICE) {
    await db
      .insertInto('maintenance_targets')
      .values(rows.slice(from, from + SLICE))
      .execute()
  }
}

/** Windows with exactly this target. */
export async function findWindowsOfOnly(db: Db, target: MaintenanceTarget): Promise<WindowRow[]> {
  return db
    .selectFrom('maintenance_windows')
    .selectAll('maintenance_windows')
    .where('maintenance_windows.id', 'in', (eb) =>
      eb
        .selectFrom('maintenance_targets')
        .select('window_id')
        .groupBy('window_id')
        .having((having) => having.fn.countAll(), '=', 1)
        .having(
          target.type === 'agent'
            ? sql<boolean>`min(agent_id) = ${target.id}`
            : sql<boolean>`min(${sql.ref(`${target.type}_id`)}) = ${target.id}`,
        ),
    )
    .execute()
}

export function readSchedule({ schedule }: Pick<WindowRow, 'schedule'>): MaintenanceSchedule {
  return MaintenanceSchedule.parse(JSON.parse(schedule))
}

/** A window as the rules know it. */
export function timesOf(window: Pick<WindowRow, 'schedule' | 'ended_at'>): WindowTimes {
  const endedMs = window.ended_at === null ? null : Date.parse(window.ended_at)
  return { schedule: readSchedule(window), endedMs }
}

/** The current occurrence of a window, unless a user ended it. */
export function activeOccurrence(window: WindowRow, atMs: number): Occurrence | undefined {
  return findActive(timesOf(window), atMs)
}

/** When this window next starts or ends. Infinity = never again. */
export function nextMoment(window: WindowRow, atMs: number): number {
  const endMs = activeOccurrence(window, atMs)?.endMs ?? Number.POSITIVE_INFINITY
  const startMs = nextOccurrence(readSchedule(window), atMs)?.startMs ?? Number.POSITIVE_INFINITY
  return Math.min(startMs, endMs)
}

/** The location of a window for the audit log: its target, or the client if all targets belong to one. */
export async function findAuditTarget(
  db: Db,
  windowId: number,
): Promise<{ agent?: { agent_id: string }; site?: { id: number }; client?: { id: number } }> {
  const targets = await db
    .selectFrom('maintenance_targets as target')
    .leftJoin('agents', 'agents.agent_id', 'target.agent_id')
    .leftJoin('sites', (join) =>
      join.on((eb) =>
        eb.or([eb('sites.id', '=', eb.ref('target.site_id')), eb('sites.id', '=', eb.ref('agents.site_id'))]),
      ),
    )
    .where('target.window_id', '=', windowId)
    .select(['target.agent_id', 'target.site_id', 'target.client_id', 'sites.client_id as above'])
    .execute()
  const [first, second] = targets
  if (first === undefined) return {}
  if (second === undefined && first.agent_id !== null) return { agent: { agent_id: first.agent_id } }
  if (second === undefined && first.site_id !== null) return { site: { id: first.site_id } }
  const clients = new Set(targets.map(({ client_id, above }) => client_id ?? above))
  const [clientId] = clients
  return clients.size === 1 && typeof clientId === 'number' ? { client: { id: clientId } } : {}
}
