import type { Tag } from '@muster/contract/api/tags'
import { claimName, lockNames } from '../../platform/database/claim-name.ts'
import { sql, type Selectable } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { TagsTable } from '../../platform/database/tables/tags.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Scope } from '../../platform/http/caller.ts'

export type TagRow = Selectable<TagsTable>
type Viewer = { scope: Scope }

/** Names that differ in case only are the same tag. */
export const tagKey = (name: string): string => name.normalize().toLowerCase()

/** Tags with counts of what the caller may see. A limited caller gets the tags in use within the scope only. */
export async function findTags(db: Db, caller: Viewer): Promise<Tag[]> {
  const tags = await db.selectFrom('tags').selectAll().orderBy('name_key').execute()
  const agents = await countAgents(db, caller)
  const clients = await countClients(db, caller)
  return tags
    .map((tag) => viewTag(tag, { agents: agents.get(tag.id) ?? 0, clients: clients.get(tag.id) ?? 0 }))
    .filter((tag) => caller.scope.all || tag.agent_count + tag.client_count > 0)
}

function viewTag(row: TagRow, counts: { agents: number; clients: number }): Tag {
  const { id, name, color, rule, modified } = row
  return { id, name, color, rule, agent_count: counts.agents, client_count: counts.clients, modified }
}

async function countAgents(db: Db, caller: Viewer): Promise<Map<number, number>> {
  const own = db
    .selectFrom('agent_tags')
    .innerJoin('agents', 'agents.agent_id', 'agent_tags.agent_id')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select(['agent_tags.tag_id', 'agents.agent_id'])
    .where(visibleTo(caller))
  const inherited = db
    .selectFrom('client_tags')
    .innerJoin('sites', 'sites.client_id', 'client_tags.client_id')
    .innerJoin('agents', 'agents.site_id', 'sites.id')
    .select(['client_tags.tag_id', 'agents.agent_id'])
    .where(visibleTo(caller))
  const ruled = db
    .selectFrom('rule_tags')
    .innerJoin('agents', 'agents.agent_id', 'rule_tags.agent_id')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select(['rule_tags.tag_id', 'agents.agent_id'])
    .where(visibleTo(caller))
  // A machine that has a tag in several ways counts once.
  const rows = await db
    .selectFrom(own.union(inherited).union(ruled).as('tagged'))
    .select(['tag_id', sql<number>`count(*)`.as('many')])
    .groupBy('tag_id')
    .execute()
  return new Map(rows.map(({ tag_id, many }) => [tag_id, Number(many)]))
}

async function countClients(db: Db, caller: Viewer): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('client_tags')
    .innerJoin('sites', 'sites.client_id', 'client_tags.client_id')
    .select(['tag_id', sql<number>`count(distinct client_tags.client_id)`.as('many')])
    .where(visibleTo(caller))
    .groupBy('tag_id')
    .execute()
  return new Map(rows.map(({ tag_id, many }) => [tag_id, Number(many)]))
}

export function findTag(db: Db, id: number): Promise<TagRow | undefined> {
  return db.selectFrom('tags').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Ids of these tags; names without a tag are absent. */
export async function findTagIds(db: Db, names: readonly string[]): Promise<Map<string, number>> {
  if (names.length === 0) return new Map()
  const rows = await db
    .selectFrom('tags')
    .select(['id', 'name_key'])
    .where('name_key', 'in', names.map(tagKey))
    .execute()
  return new Map(rows.map(({ id, name_key }) => [name_key, id]))
}

/** Ids of these tags, which are added where they are missing. */
export async function ensureTagIds(tx: Db, names: readonly string[], at: Date): Promise<number[]> {
  let known = await findTagIds(tx, names)
  const missing = () => names.filter((name) => !known.has(tagKey(name)))
  if (missing().length > 0) {
    // Another transaction may add the same tags at this moment.
    await lockNames(tx, 'tags')
    known = await findTagIds(tx, names)
  }
  const added = new Map<string, string>()
  // The first spelling of a name wins.
  for (const name of missing().toReversed()) {
    const taken = { field: 'tags', sentence: `A tag named "${name}" already exists.` }
    const stored = await claimName(tx, { table: 'tags', name, taken })
    added.set(tagKey(stored), stored)
  }
  if (added.size > 0) {
    const now = at.toISOString()
    await tx
      .insertInto('tags')
      .values(
        Array.from(added, ([name_key, name]) => ({
          name,
          name_key,
          color: 'gray' as const,
          created_at: now,
          modified: now,
        })),
      )
      .execute()
  }
  return [...known.values(), ...(await findTagIds(tx, [...added.values()])).values()]
}

export interface AgentTags {
  /** Tags of the machine itself, sorted. */
  own: string[]
  /** Including those of rules and of its client, sorted. */
  all: string[]
}

/** Tags of machines, in three queries. */
export async function findAgentTags(
  db: Db,
  agents: readonly { agent_id: string; client_id: number }[],
): Promise<(agent: { agent_id: string; client_id: number }) => AgentTags> {
  const ids = agents.map(({ agent_id }) => agent_id)
  const own = groupNames(
    await db
      .selectFrom('agent_tags')
      .innerJoin('tags', 'tags.id', 'agent_tags.tag_id')
      .select(['agent_id', 'name'])
      .where('agent_id', 'in', ids)
      .orderBy('name_key')
      .execute(),
  )
  const ruled = groupNames(
    await db
      .selectFrom('rule_tags')
      .innerJoin('tags', 'tags.id', 'rule_tags.tag_id')
      .select(['agent_id', 'name'])
      .where('agent_id', 'in', ids)
      .orderBy('name_key')
      .execute(),
  )
  const inherited = await findClientTags(db)
  return ({ agent_id, client_id }) => {
    const names = own.get(agent_id) ?? []
    const given = [...(ruled.get(agent_id) ?? []), ...(inherited.get(client_id) ?? [])]
    if (given.length === 0) return { own: names, all: names }
    const all = [...new Set([...names, ...given])].toSorted((a, b) => (tagKey(a) < tagKey(b) ? -1 : 1))
    return { own: names, all }
  }
}

function groupNames(rows: readonly { agent_id: string; name: string }[]): Map<string, string[]> {
  const names = new Map<string, string[]>()
  for (const { agent_id, name } of rows) {
    const known = names.get(agent_id)
    if (known) known.push(name)
    else names.set(agent_id, [name])
  }
  return names
}

/** Names of the tags of each client that has one, sorted. */
export async function findClientTags(db: Db): Promise<Map<number, string[]>> {
  const rows = await db
    .selectFrom('client_tags')
    .innerJoin('tags', 'tags.id', 'client_tags.tag_id')
    .select(['client_id', 'name'])
    .orderBy('name_key')
    .execute()
  const tags = new Map<number, string[]>()
  for (const { client_id, name } of rows) tags.set(client_id, [...(tags.get(client_id) ?? []), name])
  return tags
}

/** Machines and clients with a tag, whose rows change with it. */
export async function findTagged(db: Db, tagId: number): Promise<{ agents: string[]; clients: number[] }> {
  const agents = await db.selectFrom('agent_tags').select('agent_id').where('tag_id', '=', tagId).execute()
  const ruled = await db.selectFrom('rule_tags').select('agent_id').where('tag_id', '=', tagId).execute()
  const clients = await db.selectFrom('client_tags').select('client_id').where('tag_id', '=', tagId).execute()
  return {
    agents: [...new Set([...agents, ...ruled].map(({ agent_id }) => agent_id))],
    clients: clients.map(({ client_id }) => client_id),
  }
}
