import type { PackageSource } from '@muster/contract/agent/software'
import type { Generated } from 'kysely'

/** One version of a package, on however many machines; one that is on none is removed at night. */
export interface SoftwarePackagesTable {
  id: Generated<number>
  /** Of name, publisher, source and version: texts of machines are too long for an index. */
  digest: string
  /** Shared by all versions of it, see features/software/package-key.ts. */
  title: string
  name: string
  publisher: string
  source: PackageSource
  version: string
  /** Name and publisher in lower case. */
  search_text: string
  /** By rules/sort-key. */
  sort_name: string
}

export interface MachineSoftwareTable {
  /** The `id` of the machine's row. */
  agent: number
  package: number
  size: number | null
  /** YYYY-MM-DD. */
  install_date: string | null
  uninstall: string | null
}

/** No row before the first list of a machine. */
export interface SoftwareInventoriesTable {
  agent: number
  /** As the machine has made it of the whole list. */
  hash: string
  left_out: number
  looked_at: string
  changed_at: string
}
