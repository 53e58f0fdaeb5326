import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import { redefineVariables } from '../checks/redefine-variables.ts'
import { hasRestrictedKeys } from './key-use.ts'

/** Call in the transaction of every change of a user's role or of a role's superuser flag. */
export async function redefineKeyUses(tx: Db, emit: (event: Event) => void): Promise<void> {
  if (await hasRestrictedKeys(tx)) await redefineVariables(tx, emit, 'all')
}
