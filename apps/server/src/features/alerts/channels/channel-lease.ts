import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'

/** Longer than sending any message takes. */
const LEASE_MS = 60_000

/**
 * Makes this process the only one that sends on a channel for a minute. Returns false if another process holds the
 * lease.
 */
export async function takeLease(
  { db, engine, now, processId }: Pick<Context, 'db' | 'engine' | 'now' | 'processId'>,
  channelId: number,
): Promise<boolean> {
  const at = now()
  const taken = await db
    .updateTable('alert_channels')
    .set({ sending_by: processId, sending_until: endOf(at) })
    .where('id', '=', channelId)
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
  { now, processId }: Pick<Context, 'now' | 'processId'>,
  channelId: number,
): Promise<boolean> {
  const kept = await tx
    .updateTable('alert_channels')
    .set({ sending_until: endOf(now()) })
    .where('id', '=', channelId)
    .where('sending_by', '=', processId)
    .returning('id')
    .executeTakeFirst()
  return kept !== undefined
}

export async function giveLease(
  { db, processId }: Pick<Context, 'db' | 'processId'>,
  channelId: number,
): Promise<void> {
  await db
    .updateTable('alert_channels')
    .set({ sending_by: null, sending_until: null })
    .where('id', '=', channelId)
    .where('sending_by', '=', processId)
    .execute()
}

function endOf(at: Date): string {
  return new Date(at.getTime() + LEASE_MS).toISOString()
}
