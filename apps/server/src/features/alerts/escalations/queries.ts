import type { EscalationChainForm } from '@muster/contract/api/escalations'
import type { Insertable, Selectable } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'
import { chunk } from '../../../platform/database/sql.ts'
import type {
  AlertEscalationsTable,
  EscalationChainsTable,
  EscalationNotificationsTable,
} from '../../../platform/database/tables/escalations.ts'

export type ChainRow = Selectable<EscalationChainsTable>
export type EscalationRow = Selectable<AlertEscalationsTable>

export function findChains(db: Db): Promise<ChainRow[]> {
  return db.selectFrom('escalation_chains').selectAll().orderBy('name').execute()
}

export function findChain(db: Db, id: number): Promise<ChainRow | undefined> {
  return db.selectFrom('escalation_chains').selectAll().where('id', '=', id).executeTakeFirst()
}

export function readChain({ name, settings }: Pick<ChainRow, 'name' | 'settings'>): EscalationChainForm {
  // Written by write-chain.ts.
  return { ...(JSON.parse(settings) as Omit<EscalationChainForm, 'name'>), name }
}

/** By alert id. Rows of an alert are written only while the alert is locked. */
export async function findEscalations(
  db: Db,
  alertIds: readonly number[],
): Promise<Map<number, EscalationRow>> {
  const found = new Map<number, EscalationRow>()
  for (const slice of chunk(alertIds)) {
    const rows = await db.selectFrom('alert_escalations').selectAll().where('alert_id', 'in', slice).execute()
    for (const row of rows) found.set(row.alert_id, row)
  }
  return found
}

export async function storeEscalation(tx: Db, row: EscalationRow): Promise<void> {
  const { alert_id: _, ...values } = row
  await tx
    .insertInto('alert_escalations')
    .values(row)
    .onConflict((conflict) => conflict.column('alert_id').doUpdateSet(values))
    .execute()
}

export async function insertNotifications(
  tx: Db,
  rows: readonly Insertable<EscalationNotificationsTable>[],
): Promise<void> {
  for (const slice of chunk(rows)) await tx.insertInto('escalation_notifications').values(slice).execute()
}

/** Addresses of the users that these notices are for, by notice id. */
export async function findAddresses(db: Db, noticeIds: readonly number[]): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>()
  for (const slice of chunk(noticeIds)) {
    const rows = await db
      .selectFrom('escalation_notifications')
      .select(['notice_id', 'address'])
      .where('notice_id', 'in', slice)
      .where('address', '!=', '')
      .orderBy('id')
      .execute()
    for (const { notice_id, address } of rows) {
      const known = found.get(notice_id ?? 0) ?? []
      if (!known.includes(address)) found.set(notice_id ?? 0, [...known, address])
    }
  }
  return found
}
