import type { AlertLogKind } from '@muster/contract/api/alerts'
import type { Insertable } from 'kysely'
import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import { chunk } from '../../platform/database/sql.ts'
import type { AlertLogTable } from '../../platform/database/tables/alerts.ts'
import type { AlertRow } from './queries.ts'

type Entry = Omit<Insertable<AlertLogTable>, 'id' | 'by_user'> & { by_user?: string }

/** Maximum log entries of an alert. Afterwards only its end is added. */
export const MAX_LOG_ENTRIES = 1000
const LAST_PART = 'The log of this alert is full. Only its end will be added.'
const ALWAYS: AlertLogKind = 'resolved'

/** Adds log entries in order. The last entry of a full log says so. */
export async function writeAlertLog(tx: Db, entries: readonly Entry[]): Promise<void> {
  const counts = await countEntries(tx, [...new Set(entries.map(({ alert_id }) => alert_id))])
  const kept: Entry[] = []
  for (const entry of entries) {
    const before = counts.get(entry.alert_id) ?? 0
    if (before < MAX_LOG_ENTRIES - 1) kept.push(entry)
    else if (before === MAX_LOG_ENTRIES - 1)
      kept.push({ ...entry, kind: 'noted', by_user: '', text: LAST_PART })
    if (before >= MAX_LOG_ENTRIES - 1 && entry.kind === ALWAYS) kept.push(entry)
    counts.set(entry.alert_id, before + 1)
  }
  for (const slice of chunk(kept)) {
    await tx
      .insertInto('alert_log')
      .values(slice.map((entry) => ({ by_user: '', ...entry })))
      .execute()
  }
}

export async function countEntries(db: Db, alertIds: number[]): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  for (const slice of chunk(alertIds)) {
    const rows = await db
      .selectFrom('alert_log')
      .select(['alert_id', ({ fn }) => fn.countAll<number>().as('count')])
      .where('alert_id', 'in', slice)
      .groupBy('alert_id')
      .execute()
    for (const { alert_id, count } of rows) counts.set(alert_id, Number(count))
  }
  return counts
}

/** Paired with the machines, if there are any. */
export function emitAlertsChanged(
  emit: (event: Event) => void,
  alerts: readonly Pick<AlertRow, 'id' | 'agent_id'>[],
): void {
  const ofMachines = alerts.flatMap(({ id, agent_id }) => (agent_id === null ? [] : [{ id, agent_id }]))
  for (const slice of chunk(ofMachines)) {
    emit({
      type: 'alert.changed',
      ids: slice.map(({ id }) => id),
      agent_ids: slice.map(({ agent_id }) => agent_id),
    })
  }
  const others = alerts.filter(({ agent_id }) => agent_id === null).map(({ id }) => id)
  if (others.length > 0) emit({ type: 'alert.changed', ids: others })
}
