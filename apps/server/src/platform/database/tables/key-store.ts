import type { Generated } from 'kysely'

export interface KeyStoreTable {
  id: Generated<number>
  name: string
  /** Sealed by platform/secrets. */
  value: string
  /** 0 = only the roles in key_store_roles, and superusers. */
  all_roles: Generated<0 | 1>
  created_at: string
  modified: string
}

/** A role that may use a key. */
export interface KeyStoreRolesTable {
  key_id: number
  role_id: number
}
