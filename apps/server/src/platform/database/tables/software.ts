import type { PackageSource } from '@muster/contract/agent/software'
import type { Generated } from 'kysely'

/** One version of a package on any number of machines. Packages without machines are deleted every night. */
export interface SoftwarePackagesTable {
  id: Generated<number>
  /** Hash of name, publisher, source and version: reported texts are too long for an index. */
  digest: string
  /** Shared by all of its versions, see features/software. */
  title: string
  name: string
  publisher: string
  source: PackageSource
  version: string
  /** Name and publisher in lower case. */
  search_text: string
  /** Computed by rules/sort-key. */
  sort_name: string
}

export interface MachineSoftwareTable {
  /** `id` of the agent. */
  agent: number
  package: number
  size: number | null
  /** YYYY-MM-DD. */
  install_date: string | null
  uninstall: string | null
}

/** There is no row before the first list of a machine. */
export interface SoftwareInventoriesTable {
  agent: number
  /** Hash of the whole list, computed by the agent. */
  hash: string
  left_out: number
  looked_at: string
  changed_at: string
}

/** Available patches of a machine. There is no row before its first scan. */
export interface MachinePatchesTable {
  /** `id` of the agent. */
  agent: number
  /** Hash of the whole list, computed by the agent. */
  hash: string
  /** JSON list of the feature's StoredPatch. */
  patches: string
  /** The highest number assigned so far. Numbers are never reused. */
  last_number: Generated<number>
  pending: number
  left_out: number
  problem: string | null
  looked_at: string
  /** NULL = every scan has failed so far. */
  changed_at: string | null
}
