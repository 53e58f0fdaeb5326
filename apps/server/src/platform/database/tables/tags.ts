import type { Generated } from 'kysely'

export interface TagsTable {
  id: Generated<number>
  name: string
  /** Lower case: names that differ in case only are the same tag. */
  name_key: string
  color: 'gray' | 'red' | 'orange' | 'yellow' | 'green' | 'teal' | 'blue' | 'purple'
  /** A search; empty = none. */
  rule: Generated<string>
  created_at: string
  modified: string
}

/** By hand. */
export interface AgentTagsTable {
  agent_id: string
  tag_id: number
}

/** Machines that match the rule of a tag. */
export interface RuleTagsTable {
  agent_id: string
  tag_id: number
}

/** A client's tags count for its machines too. */
export interface ClientTagsTable {
  client_id: number
  tag_id: number
}
