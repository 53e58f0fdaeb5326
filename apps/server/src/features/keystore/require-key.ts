import { AppError } from '@muster/contract/errors'
import type { Db } from '../../platform/database/database.ts'
import { lockRow } from '../../platform/database/lock-row.ts'
import { findKey, type KeyRow } from './queries.ts'

/** The key, kept from others until the transaction ends, or `not_found`. */
export async function requireLockedKey(tx: Db, id: number): Promise<KeyRow> {
  await lockRow(tx, 'key_store', 'id', id)
  const key = await findKey(tx, id)
  if (key === undefined) throw new AppError('not_found', 'This key does not exist (any more).')
  return key
}
