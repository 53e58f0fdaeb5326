import type { Event } from '@muster/contract/events'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { hasRestrictedKeys } from './key-use.ts'

/** Call in the transaction of every change of a user's role or of a role's superuser flag. */
export async function markKeyUsesStale(
  { hooks }: Pick<Context, 'hooks'>,
  tx: Db,
  emit: (event: Event) => void,
): Promise<void> {
  if (await hasRestrictedKeys(tx)) await hooks.variablesChanged(tx, emit, 'all')
}
