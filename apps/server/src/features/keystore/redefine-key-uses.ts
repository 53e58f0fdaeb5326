import type { Event } from '@muster/contract/events'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { hasRestrictedKeys } from './key-use.ts'

/** Call it in the transaction of every change of the role that a user has or of whether one is a superuser. */
export async function redefineKeyUses(
  { hooks }: Pick<Context, 'hooks'>,
  tx: Db,
  emit: (event: Event) => void,
): Promise<void> {
  if (await hasRestrictedKeys(tx)) await hooks.variablesChanged(tx, emit, 'all')
}
