import type { PolicyLevel, PolicySlot } from '@muster/rules/policies/policy-chain'
import type { Generated } from 'kysely'

export interface PoliciesTable {
  id: Generated<number>
  name: string
  description: string
  active: 0 | 1
  enforced: 0 | 1
  /** JSON of the contract's PolicyContent. */
  content: string
  /** The highest number that one of its checks or tasks has had: none is used twice. */
  last_number: number
  version: number
  /** The user who set up the scripts that it runs: keys of the store are read with this user's role. */
  author_id: Generated<number | null>
  created_by: string
  created_at: string
  modified: string
  modified_by: string
}

/** Where a policy is assigned. Of the three ids the one of its level; a search has its text. */
export interface PolicyTargetsTable {
  id: Generated<number>
  policy_id: number
  level: PolicyLevel
  client_id: number | null
  site_id: number | null
  agent_id: string | null
  search: string | null
  monitoring_type: PolicySlot | null
  /** Among the policies of the same place. */
  position: number
}

/** One of the three. */
export interface PolicyExclusionsTable {
  id: Generated<number>
  policy_id: number
  client_id: number | null
  site_id: number | null
  agent_id: string | null
}

/** What a policy was after each save. */
export interface PolicyVersionsTable {
  id: Generated<number>
  policy_id: number
  version: number
  at: string
  by_user: string
  reason: string
  /** JSON of the contract's PolicyDocument. */
  document: string
}
