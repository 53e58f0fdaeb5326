import { AppError } from '@muster/contract/errors'
import type { Db } from '../../../platform/database/database.ts'
import { lockRow } from '../../../platform/database/lock-row.ts'
import { findSnippet, type SnippetRow } from './queries.ts'

export async function requireSnippet(db: Db, id: number): Promise<SnippetRow> {
  const snippet = await findSnippet(db, id)
  if (snippet === undefined) throw new AppError('not_found', 'This snippet does not exist (any more).')
  return snippet
}

/** The same, kept from others until the transaction ends. */
export async function requireLockedSnippet(tx: Db, id: number): Promise<SnippetRow> {
  await lockRow(tx, 'script_snippets', 'id', id)
  return requireSnippet(tx, id)
}
