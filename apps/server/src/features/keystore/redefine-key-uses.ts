import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import { redefineVariables } from '../checks/redefine-variables.ts'

/** Call it in the transaction of every change of the role that a user has or of whether one is a superuser. */
export async function redefineKeyUses(tx: Db, emit: (event: Event) => void): Promise<void> {
  const restricted = await tx
    .selectFrom('key_store')
    .select('id')
    .where('all_roles', '=', 0)
    .limit(1)
    .executeTakeFirst()
  if (restricted !== undefined) await redefineVariables(tx, emit, 'all')
}
