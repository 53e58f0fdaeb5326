import { type KeyStoreEntry, MASKED_VALUE } from '@muster/contract/api/keystore'
import type { KeyWithRoles } from './key-roles.ts'

/** Not even the length of the value is told. */
export function viewKey(row: KeyWithRoles): KeyStoreEntry {
  return {
    id: row.id,
    name: row.name,
    value: MASKED_VALUE,
    roles: row.roles,
    created_at: row.created_at,
    modified: row.modified,
  }
}
