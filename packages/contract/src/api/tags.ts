import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId, IdParams, Instant, ListQuery, Nothing } from '../fields.ts'
import { TagName, TagNames } from '../tag-names.ts'

export const TAG_COLORS = ['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple'] as const
export const TagColor = z.enum(TAG_COLORS)
export type TagColor = z.infer<typeof TagColor>

/** A word that marks machines and clients. A client's tags count for its machines too. */
export const Tag = z.object({
  id: z.int(),
  name: z.string(),
  color: TagColor,
  /** A search: machines that match it have the tag, and lose it when they no longer do. Empty = none. */
  rule: z.string(),
  /** Machines that the caller may see, including those of tagged clients. */
  agent_count: z.int(),
  /** Tagged clients that the caller may see. */
  client_count: z.int(),
  modified: Instant,
})
export type Tag = z.infer<typeof Tag>

/** Evaluated within seconds after a machine changes. It cannot refer to tags. */
const TagRule = z.string().trim().max(2000)

export const listTags = endpoint({
  method: 'GET',
  path: '/tags/',
  access: 'can_list_agents',
  summary: 'List tags; a role that is limited to some clients gets the tags of their machines only',
  query: ListQuery,
  response: z.array(Tag),
  paged: true,
})

export const createTag = endpoint({
  method: 'POST',
  path: '/tags/',
  access: 'can_edit_agent',
  summary: 'Add a tag. Tagging a machine with an unknown name adds the tag too',
  body: z.object({ name: TagName, color: TagColor.default('gray'), rule: TagRule.default('') }),
  response: Tag,
})

export const editTag = endpoint({
  method: 'PUT',
  path: '/tags/:id/',
  access: 'can_edit_agent',
  summary:
    'Rename or recolour a tag, or change its rule. With `modified`, refused if another user has saved since',
  params: IdParams,
  body: z.object({
    name: TagName.optional(),
    color: TagColor.optional(),
    rule: TagRule.optional(),
    modified: z.string().optional(),
  }),
  volatile: ['agent_count', 'client_count'],
  response: Tag,
})

export const deleteTag = endpoint({
  method: 'DELETE',
  path: '/tags/:id/',
  access: 'can_edit_agent',
  summary: 'Delete a tag, and remove it from every machine and client',
  params: IdParams,
  response: Nothing,
})

export const MAX_TAGGED_AGENTS = 20_000

export const tagAgents = endpoint({
  method: 'POST',
  path: '/agents/tags/bulk/',
  access: 'can_edit_agent',
  summary: 'Add tags to machines and remove others; machines that the caller may not see are skipped',
  body: z.object({
    agents: z.array(AgentId).min(1).max(MAX_TAGGED_AGENTS),
    add: TagNames.default([]),
    remove: TagNames.default([]),
  }),
  bodyLimit: 2 * 1024 * 1024,
  response: z.object({
    changed: z.int(),
    /** Machines that do not exist, or that the caller may not see. */
    skipped: z.int(),
  }),
})
