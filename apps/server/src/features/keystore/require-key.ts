import { AppError } from '@muster/contract/errors'
import type { Db } from '../../platform/database/database.ts'
import { lockRow } from '../../platform/database/lock-row.ts'
import { addRoles, type KeyWithRoles } from './key-roles.ts'
import { findKey } from './queries.ts'

/** The key, kept from others until the transaction ends, or `not_found`. */
export async function requireLockedKey(tx: Db, id: number): Promise<KeyWithRoles> {
  await lockRow(tx, 'key_store', 'id', id)
  const row = await findKey(tx, id)
  const [key] = row === undefined ? [] : await addRoles(tx, [row])
  if (key === undefined) throw new AppError('not_found', 'This key does not exist (any more).')
  return key
}
