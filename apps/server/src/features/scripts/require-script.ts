import { AppError } from '@muster/contract/errors'
import type { Db } from '../../platform/database/database.ts'
import { lockRow } from '../../platform/database/lock-row.ts'
import { findScript, type ScriptRow } from './queries.ts'

/** The script with its body, or `not_found`. */
export async function requireScript(db: Db, id: number): Promise<ScriptRow> {
  const script = await findScript(db, id)
  if (script === undefined) throw new AppError('not_found', 'This script does not exist (any more).')
  return script
}

/** The same, kept from others until the transaction ends. */
export async function requireLockedScript(tx: Db, id: number): Promise<ScriptRow> {
  await lockRow(tx, 'scripts', 'id', id)
  return requireScript(tx, id)
}
