import { type KeyStoreEntry, MASKED_VALUE } from '@muster/contract/api/keystore'
import type { KeyWithRoles } from './key-roles.ts'

/** Does not reveal the length of the value. */
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
