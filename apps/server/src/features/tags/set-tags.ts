import type { tagAgents } from '@muster/contract/api/tags'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Event } from '@muster/contract/events'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { ensureTagIds, findTagIds, tagKey } from './queries.ts'

interface TagsChange {
  before: string[]
  after: string[]
}

/** The tags of one machine from now on; absent names are removed. Undefined when nothing changed. */
export function setAgentTags(
  tx: Db,
  agentId: string,
  names: readonly string[] | undefined,
  at: Date,
): Promise<TagsChange | undefined> {
  return setTags(tx, names, at, {
    find: () => tx.selectFrom('agent_tags').select('tag_id').where('agent_id', '=', agentId).execute(),
    remove: async (ids) =>
      void (await tx
        .deleteFrom('agent_tags')
        .where('agent_id', '=', agentId)
        .where('tag_id', 'in', ids)
        .execute()),
    add: async (ids) =>
      void (await tx
        .insertInto('agent_tags')
        .values(ids.map((tag_id) => ({ agent_id: agentId, tag_id })))
        .execute()),
  })
}

/** The same for a client. */
export function setClientTags(
  tx: Db,
  clientId: number,
  names: readonly string[] | undefined,
  at: Date,
): Promise<TagsChange | undefined> {
  return setTags(tx, names, at, {
    find: () => tx.selectFrom('client_tags').select('tag_id').where('client_id', '=', clientId).execute(),
    remove: async (ids) =>
      void (await tx
        .deleteFrom('client_tags')
        .where('client_id', '=', clientId)
        .where('tag_id', 'in', ids)
        .execute()),
    add: async (ids) =>
      void (await tx
        .insertInto('client_tags')
        .values(ids.map((tag_id) => ({ client_id: clientId, tag_id })))
        .execute()),
  })
}

interface Tagged {
  find: () => Promise<{ tag_id: number }[]>
  remove: (ids: number[]) => Promise<void>
  add: (ids: number[]) => Promise<void>
}

async function setTags(
  tx: Db,
  names: readonly string[] | undefined,
  at: Date,
  tagged: Tagged,
): Promise<TagsChange | undefined> {
  if (names === undefined) return undefined
  const before = new Set((await tagged.find()).map(({ tag_id }) => tag_id))
  const after = new Set(await ensureTagIds(tx, names, at))
  const removed = [...before.difference(after)]
  const added = [...after.difference(before)]
  if (removed.length + added.length === 0) return undefined
  const before_names = await namesOf(tx, [...before])
  if (removed.length > 0) await tagged.remove(removed)
  if (added.length > 0) await tagged.add(added)
  return { before: before_names, after: await namesOf(tx, [...after]) }
}

async function namesOf(db: Db, ids: number[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('tags').select('name').where('id', 'in', ids).orderBy('name_key').execute()
  return rows.map(({ name }) => name)
}

const SLICE = 1000
/** Machines that the audit row names. */
const MAX_NAMED = 500

/** Adds and removes tags of many machines. Those that the caller may not see are skipped. */
export function changeTags(
  ctx: Context,
  caller: Caller,
  { agents, add, remove }: Parsed<typeof tagAgents>['body'],
): Promise<{ changed: number; skipped: number }> {
  const added = new Set(add.map(tagKey))
  if (remove.some((name) => added.has(tagKey(name)))) {
    throw new AppError('invalid', 'A tag cannot be added and removed at once.', {
      fields: { remove: ['Choose other tags to remove.'] },
    })
  }
  return ctx.transaction(async (tx, emit) => {
    const ids = [...new Set(agents)]
    const visible: { agent_id: string; hostname: string }[] = []
    for (let from = 0; from < ids.length; from += SLICE)
      visible.push(...(await findVisible(tx, caller, ids.slice(from, from + SLICE))))
    // A name that nobody uses yet is not added for machines that the caller may not see.
    if (visible.length === 0) return { changed: 0, skipped: ids.length }
    const addIds = await ensureTagIds(tx, add, ctx.now())
    const removeIds = [...(await findTagIds(tx, remove)).values()]
    const changed = new Set<string>()
    for (let from = 0; from < visible.length; from += SLICE) {
      const slice = visible.slice(from, from + SLICE).map(({ agent_id }) => agent_id)
      for (const id of await addTo(tx, slice, addIds)) changed.add(id)
      for (const id of await removeFrom(tx, slice, removeIds)) changed.add(id)
    }
    if (changed.size > 0) {
      const names = visible.filter(({ agent_id }) => changed.has(agent_id)).map(({ hostname }) => hostname)
      await auditChange(tx, emit, { caller, names, add, remove, at: ctx.now() })
      emit({ type: 'agent.changed', ids: [...changed], agent_ids: [...changed] })
      emit({ type: 'tag.changed', ids: [...addIds, ...removeIds] })
    }
    return { changed: changed.size, skipped: ids.length - visible.length }
  })
}

function findVisible(tx: Db, caller: Caller, ids: string[]) {
  return tx
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select(['agents.agent_id', 'agents.hostname'])
    .where('agents.agent_id', 'in', ids)
    .where(visibleTo(caller))
    .execute()
}

/** Returns the machines that did not have all of the tags. */
async function addTo(tx: Db, agentIds: string[], tagIds: number[]): Promise<string[]> {
  const changed: string[] = []
  for (const tag_id of tagIds) {
    const rows = await tx
      .insertInto('agent_tags')
      .values(agentIds.map((agent_id) => ({ agent_id, tag_id })))
      .onConflict((conflict) => conflict.columns(['agent_id', 'tag_id']).doNothing())
      .returning('agent_id')
      .execute()
    changed.push(...rows.map(({ agent_id }) => agent_id))
  }
  return changed
}

/** Returns the machines that had one of the tags. */
async function removeFrom(tx: Db, agentIds: string[], tagIds: number[]): Promise<string[]> {
  if (tagIds.length === 0) return []
  const rows = await tx
    .deleteFrom('agent_tags')
    .where('agent_id', 'in', agentIds)
    .where('tag_id', 'in', tagIds)
    .returning('agent_id')
    .execute()
  return rows.map(({ agent_id }) => agent_id)
}

async function auditChange(
  tx: Db,
  emit: (event: Event) => void,
  {
    caller,
    names,
    add,
    remove,
    at,
  }: {
    caller: Caller
    names: string[]
    add: readonly string[]
    remove: readonly string[]
    at: Date
  },
): Promise<void> {
  await audit(tx, {
    caller,
    action: 'bulk_action',
    object_type: 'tag',
    message: `Changed the tags of ${names.length === 1 ? `"${names[0]}"` : `${names.length} machines`}`,
    after: { added: add, removed: remove, machines: names.slice(0, MAX_NAMED) },
    at,
    emit,
  })
}
