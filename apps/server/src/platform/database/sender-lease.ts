import type { Engine } from './columns.ts'
import type { Db } from './database.ts'

/** Longer than sending any message takes. */
const LEASE_MS = 60_000

interface Process {
  db: Db
  engine: Engine
  now: () => Date
  processId: string
}

/** A row that at most one process at a time sends for. */
interface Sender {
  table: 'alert_channels' | 'webhooks'
  id: number
}

/**
 * Makes this process the only one that sends for the row for a minute. Returns false if another process holds the
 * lease.
 */
export async function takeLease({ db, engine, now, processId }: Process, sender: Sender): Promise<boolean> {
  const at = now()
  const taken = await updateRow(db, sender)
    .set({ sending_by: processId, sending_until: endOf(at) })
    .where((eb) =>
      eb.or([
        eb('sending_by', 'is', null),
        eb('sending_until', '<=', at.toISOString()),
        // Any other process that held the embedded database is dead.
        ...(engine === 'sqlite' ? [eb('sending_by', '!=', processId)] : []),
      ]),
    )
    .returning('id')
    .executeTakeFirst()
  return taken !== undefined
}

/** Extends the lease by a minute. Returns false if another process took over. */
export async function keepLease(
  tx: Db,
  { now, processId }: Pick<Process, 'now' | 'processId'>,
  sender: Sender,
): Promise<boolean> {
  const kept = await updateRow(tx, sender)
    .set({ sending_until: endOf(now()) })
    .where('sending_by', '=', processId)
    .returning('id')
    .executeTakeFirst()
  return kept !== undefined
}

export async function giveLease(
  { db, processId }: Pick<Process, 'db' | 'processId'>,
  sender: Sender,
): Promise<void> {
  await updateRow(db, sender)
    .set({ sending_by: null, sending_until: null })
    .where('sending_by', '=', processId)
    .execute()
}

function updateRow(db: Db, { table, id }: Sender) {
  // `as`: all of these tables have the same columns for it.
  return db.updateTable(table as 'webhooks').where('id', '=', id)
}

function endOf(at: Date): string {
  return new Date(at.getTime() + LEASE_MS).toISOString()
}
