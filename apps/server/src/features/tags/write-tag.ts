import type { TagColor } from '@muster/contract/api/tags'
import { AppError } from '@muster/contract/errors'
import type { Event } from '@muster/contract/events'
import { parseSearch } from '@muster/rules/search/parse-search'
import { termsOf } from '@muster/rules/search/search-tree'
import type { Context } from '../../context.ts'
import { claimName } from '../../platform/database/claim-name.ts'
import { changeRow, lockRow, refuseTaken, requireRow, takenName } from '../../platform/database/change-row.ts'
import type { Db } from '../../platform/database/database.ts'
import { type Caller, refuseLimited } from '../../platform/http/caller.ts'
import { findFields } from '../custom-fields/queries.ts'
import { audit } from '../audit/write-audit.ts'
import { findTag, findTagged, type TagRow, tagKey } from './queries.ts'

/** Brings the tags of machines in line with the rules. */
export const TAG_RULES_JOB = 'tags.apply-rules'

export function addTag(
  ctx: Context,
  caller: Caller,
  { name: wanted, color, rule }: { name: string; color: TagColor; rule: string },
): Promise<TagRow> {
  refuseLimited(caller, 'Tags')
  const taken = takenName('A tag', wanted)
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      await refuseRule(tx, rule)
      const at = ctx.now()
      const name = await claimName(tx, { table: 'tags', name: wanted, taken })
      const tag = await tx
        .insertInto('tags')
        .values({
          name,
          name_key: tagKey(name),
          color,
          rule,
          created_at: at.toISOString(),
          modified: at.toISOString(),
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'tag',
        message: `Added the tag "${name}"`,
        after: { name, color, ...(rule !== '' && { rule }) },
        at,
        emit,
      })
      if (rule !== '') await ctx.jobs.enqueue(TAG_RULES_JOB, null, { db: tx })
      emit({ type: 'tag.changed', ids: [tag.id] })
      return tag
    }),
  )
}

interface TagChange {
  id: number
  name?: string | undefined
  color?: TagColor | undefined
  rule?: string | undefined
  modified?: string | undefined
}

export function changeTag(ctx: Context, caller: Caller, change: TagChange): Promise<TagRow> {
  refuseLimited(caller, 'Tags')
  const taken = takenName('A tag', change.name ?? '')
  return changeRow(
    ctx,
    {
      taken,
      loaded: change.modified,
      lock: (tx) => requireLockedTag(tx, change.id),
    },
    async ({ tx, emit, before, at, modified }) => {
      const name = await claimName(tx, { table: 'tags', name: change.name ?? before.name, taken, before })
      const { color = before.color, rule = before.rule } = change
      const isOtherRule = rule !== before.rule
      if (name === before.name && color === before.color && !isOtherRule) return before
      if (isOtherRule) await refuseRule(tx, rule)
      const after = await tx
        .updateTable('tags')
        .set({ name, name_key: tagKey(name), color, rule, modified })
        .where('id', '=', change.id)
        .returningAll()
        .executeTakeFirstOrThrow()
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'tag',
        message:
          name === before.name
            ? `Changed the tag "${name}"`
            : `Renamed the tag "${before.name}" to "${name}"`,
        before: { name: before.name, color: before.color, rule: before.rule },
        after: { name, color, rule },
        at,
        emit,
      })
      if (name !== before.name) await emitTagged(tx, emit, change.id)
      if (isOtherRule) await ctx.jobs.enqueue(TAG_RULES_JOB, null, { db: tx })
      emit({ type: 'tag.changed', ids: [change.id] })
      return after
    },
  )
}

export function removeTag(ctx: Context, caller: Caller, id: number): Promise<void> {
  refuseLimited(caller, 'Tags')
  return ctx.transaction(async (tx, emit) => {
    const tag = await requireLockedTag(tx, id)
    const { agents } = await emitTagged(tx, emit, id)
    await tx.deleteFrom('tags').where('id', '=', id).execute()
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'tag',
      message: `Deleted the tag "${tag.name}"`,
      before: { name: tag.name, color: tag.color, machines: agents.length },
      at: ctx.now(),
      emit,
    })
    emit({ type: 'tag.changed', ids: [id] })
  })
}

/** Rules see machines without tags: rules that depend on one another could change them forever. */
async function refuseRule(tx: Db, rule: string): Promise<void> {
  if (rule === '') return
  const fields = (await findFields(tx)).map(({ id, name, type, model }) => ({ id, name, type, model }))
  const { node, error } = parseSearch(rule, fields)
  const usesTags = node !== undefined && termsOf(node).some(({ field }) => field === 'tag')
  const sentence = usesTags ? 'A rule cannot use the field tag.' : error?.message
  if (sentence !== undefined) throw new AppError('invalid', sentence, { fields: { rule: [sentence] } })
}

async function requireLockedTag(tx: Db, id: number): Promise<TagRow> {
  await lockRow(tx, 'tags', 'id', id)
  return requireRow(await findTag(tx, id), 'tag')
}

/** Rows of machines and clients name their tags. */
async function emitTagged(tx: Db, emit: (event: Event) => void, id: number) {
  const tagged = await findTagged(tx, id)
  const { agents, clients } = tagged
  if (agents.length > 0) emit({ type: 'agent.changed', ids: agents, agent_ids: agents })
  if (clients.length > 0) emit({ type: 'client.changed', ids: clients })
  return tagged
}
