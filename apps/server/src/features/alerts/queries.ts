import type { AlertSnapshot } from '@muster/rules/alerts/alert-state'
import type { Selectable } from 'kysely'
import type { Engine } from '../../platform/database/columns.ts'
import type { Db } from '../../platform/database/database.ts'
import { chunk } from '../../platform/database/sql.ts'
import type { AlertsTable } from '../../platform/database/tables/alerts.ts'

/** The column `told` is `notified` everywhere else. */
export type AlertRow = Omit<Selectable<AlertsTable>, 'told'> & Pick<AlertSnapshot, 'notified'>

function toRow({ told: notified, ...columns }: Selectable<AlertsTable>): AlertRow {
  return { ...columns, notified }
}

function toColumns<Row extends Pick<AlertRow, 'notified'>>({ notified, ...row }: Row) {
  return { ...row, told: notified }
}

/**
 * The open alerts of these causes. On PostgreSQL their rows are locked until the transaction ends, always ordered by
 * id, which prevents deadlocks.
 */
export async function lockOpenAlerts(tx: Db, engine: Engine, causes: string[]): Promise<AlertRow[]> {
  return lock(tx, engine, 'open_cause', causes)
}

/** The alerts with these ids, locked as above. */
export async function lockAlerts(tx: Db, engine: Engine, ids: number[]): Promise<AlertRow[]> {
  return lock(tx, engine, 'id', ids)
}

async function lock(
  tx: Db,
  engine: Engine,
  column: 'id' | 'open_cause',
  values: (string | number)[],
): Promise<AlertRow[]> {
  const found: AlertRow[] = []
  for (const slice of chunk(values)) {
    const rows = await tx
      .selectFrom('alerts')
      .selectAll()
      // The values are those of the column. The type is the matching one of the union.
      .where(column, 'in', slice as never[])
      .orderBy('id')
      .$if(engine === 'postgres', (query) => query.forUpdate())
      .execute()
    found.push(...rows.map(toRow))
  }
  return found
}

/**
 * Locks these checks against writers of results, so that their state stays true until the transaction ends. SQLite has
 * one writer and needs no lock.
 */
export async function lockChecks(tx: Db, engine: Engine, ids: number[]): Promise<void> {
  if (engine === 'sqlite') return
  for (const slice of chunk(ids.toSorted((a, b) => a - b))) {
    await tx.selectFrom('checks').select('id').where('id', 'in', slice).orderBy('id').forUpdate().execute()
  }
}

/** Alerts of these causes that started or whose snooze ended after `since`, oldest first, to detect flapping. */
export async function findRecentAlerts(tx: Db, causes: string[], since: string) {
  const found = []
  for (const slice of chunk(causes)) {
    const rows = await tx
      .selectFrom('alerts')
      .select(['cause', 'alert_time', 'resolved_on', 'flapping', 'snooze_until'])
      .where('cause', 'in', slice)
      .where((eb) => eb.or([eb('alert_time', '>', since), eb('snooze_until', '>', since)]))
      .orderBy('id')
      .execute()
    found.push(...rows)
  }
  return found
}

/** Inserts alerts. Omits one whose cause has an open alert by now. */
export async function insertAlerts(tx: Db, rows: Omit<AlertRow, 'id' | 'in_bell'>[]): Promise<AlertRow[]> {
  const stored: AlertRow[] = []
  for (const slice of chunk(rows)) {
    const inserted = await tx
      .insertInto('alerts')
      .values(slice.map(toColumns))
      .onConflict((conflict) => conflict.column('open_cause').doNothing())
      .returningAll()
      .execute()
    stored.push(...inserted.map(toRow))
  }
  return stored
}

export async function updateAlert(tx: Db, { id, ...values }: AlertRow): Promise<void> {
  await tx.updateTable('alerts').set(toColumns(values)).where('id', '=', id).execute()
}

/** The failing ones of these checks. */
export async function findFailing(tx: Db, checkIds: number[]): Promise<Set<number>> {
  const failing = new Set<number>()
  for (const slice of chunk(checkIds)) {
    const rows = await tx
      .selectFrom('check_results')
      .select('check_id')
      .where('check_id', 'in', slice)
      .where('alert_severity', 'is not', null)
      .execute()
    for (const { check_id } of rows) failing.add(check_id)
  }
  return failing
}

/** Few alerts per transaction, because SQLite is synchronous and blocks the process. */
const SLICE = 100

/** Splits a list into parts, and yields to the event loop before each: `for await (const ids of inBatches(all))`. */
export async function* inBatches<Item>(items: readonly Item[]): AsyncGenerator<Item[]> {
  for (let start = 0; start < items.length; start += SLICE) {
    await new Promise(setImmediate)
    yield items.slice(start, start + SLICE)
  }
}

/** When the next planned notification of an alert is sent. */
export async function findNextNotice(db: Db, alertId: number): Promise<string | null> {
  const { next } = await db
    .selectFrom('alert_notices')
    .select(({ fn }) => fn.min('due_at').as('next'))
    .where('alert_id', '=', alertId)
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow()
  return next
}
