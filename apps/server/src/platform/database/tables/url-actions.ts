import type { Generated } from 'kysely'

/** A link that is made for a machine, a site or a client. */
export interface UrlActionsTable {
  id: Generated<number>
  name: string
  description: string
  /** A URL with variables. */
  pattern: string
  modified: string
}
