import type { Generated } from 'kysely'

export interface KeyStoreTable {
  id: Generated<number>
  name: string
  /** Sealed by platform/secrets. */
  value: string
  created_at: string
  modified: string
}
