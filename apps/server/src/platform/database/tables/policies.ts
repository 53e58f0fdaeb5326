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
  /** The highest number of its checks and tasks so far. Numbers are never reused. */
  last_number: number
  version: number
  /** The user who set up its scripts. Keys of the store are read with this user's role. */
  author_id: Generated<number | null>
  created_by: string
  created_at: string
  modified: string
  modified_by: string
}

/** Assignments of a policy. The id of its level is set; a search has its text. */
export interface PolicyTargetsTable {
  id: Generated<number>
  policy_id: number
  level: PolicyLevel
  client_id: number | null
  site_id: number | null
  agent_id: string | null
  search: string | null
  monitoring_type: PolicySlot | null
  /** Order among the policies of the same target. */
  position: number
}

/** Exactly one of the three ids is set. */
export interface PolicyExclusionsTable {
  id: Generated<number>
  policy_id: number
  client_id: number | null
  site_id: number | null
  agent_id: string | null
}

/** A saved state of a policy. */
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
