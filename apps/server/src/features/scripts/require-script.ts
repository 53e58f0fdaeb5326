import { AppError } from '@muster/contract/errors'
import type { Db } from '../../platform/database/database.ts'
import { findScript, lockScript, type ScriptRow } from './queries.ts'

/** The script with its body, or `not_found`. */
export async function requireScript(db: Db, id: number): Promise<ScriptRow> {
  return (await findScript(db, id)) ?? refuse()
}

/** The same, kept from others until the transaction ends. */
export async function requireLockedScript(tx: Db, id: number): Promise<ScriptRow> {
  return (await lockScript(tx, id)) ?? refuse()
}

function refuse(): never {
  throw new AppError('not_found', 'This script does not exist (any more).')
}
