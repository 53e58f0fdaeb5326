import { type KeyStoreEntry, MASKED_VALUE } from '@muster/contract/api/keystore'
import type { KeyRow } from './queries.ts'

/** Not even the length of the value is told. */
export function viewKey(row: KeyRow): KeyStoreEntry {
  return {
    id: row.id,
    name: row.name,
    value: MASKED_VALUE,
    created_at: row.created_at,
    modified: row.modified,
  }
}
