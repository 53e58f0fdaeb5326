import type { AgentRow } from '@muster/contract/api/agents'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { lockRow } from '../../platform/database/change-row.ts'
import type { Db } from '../../platform/database/database.ts'
import { PERMISSIONS } from '@muster/contract/permissions'
import type { Caller } from '../../platform/http/caller.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import { everyMinute } from '../../platform/jobs/schedule.ts'
import { findMatchingAgents } from '../agents/search/find-matching-agents.ts'
import { TAG_RULES_JOB } from '../tags/write-tag.ts'

/** Machines that change within this time are evaluated together. */
const PAUSE_MS = 5000
const SLICE = 1000

/** A rule is the same for every user: it sees all machines, and every field. */
const RULES_CALLER: Pick<Caller, 'scope' | 'permissions' | 'isSuperuser'> = {
  scope: { all: true },
  permissions: new Set(PERMISSIONS),
  isSuperuser: true,
}

/** Each minute, because the values of some fields change with time alone, and soon after a machine has changed. */
export function tagRulesJobs(ctx: Context, fleet: Fleet): Job[] {
  followChanges(ctx)
  return [
    { name: TAG_RULES_JOB, schedule: everyMinute, run: (_, signal) => applyTagRules(ctx, fleet, signal) },
  ]
}

/** All servers see the same changes; the id of the job makes them one run. */
function followChanges(ctx: Context): void {
  let queuedUntilMs = 0
  ctx.onEvent(({ type, passing }) => {
    if (passing === true || (type !== 'agent.changed' && type !== 'agent.added')) return
    const nowMs = ctx.now().getTime()
    if (nowMs < queuedUntilMs) return
    const turn = Math.floor(nowMs / PAUSE_MS) + 1
    queuedUntilMs = turn * PAUSE_MS
    void queue(turn)
  })
  async function queue(turn: number): Promise<void> {
    try {
      const { many } = await ctx.db
        .selectFrom('tags')
        .select((eb) => eb.fn.countAll<number>().as('many'))
        .where('rule', '!=', '')
        .executeTakeFirstOrThrow()
      if (Number(many) === 0) return
      const options = { id: `${TAG_RULES_JOB}:${turn}`, dueAt: new Date(turn * PAUSE_MS) }
      await ctx.jobs.enqueue(TAG_RULES_JOB, null, options)
    } catch (error) {
      // The run of the next minute follows.
      ctx.log.warn({ err: error }, 'tag rules could not be queued')
    }
  }
}

async function applyTagRules(ctx: Context, fleet: Fleet, signal: AbortSignal): Promise<void> {
  const tags = await ctx.db.selectFrom('tags').select(['id', 'name', 'rule']).execute()
  const stale = await ctx.db.selectFrom('rule_tags').select('tag_id').distinct().execute()
  const isTagged = new Set(stale.map(({ tag_id }) => tag_id))
  for (const { id, name, rule } of tags) {
    signal.throwIfAborted()
    if (rule === '' && !isTagged.has(id)) continue
    const wanted = rule === '' ? [] : await findMatching(ctx, fleet, { name, rule })
    if (wanted !== undefined) await applyOne(ctx, { id, rule }, new Set(wanted))
    // Other requests run between two rules.
    await new Promise(setImmediate)
  }
}

/** Undefined for a rule that no longer parses, such as one with a deleted custom field: its machines keep the tag. */
async function findMatching(
  ctx: Context,
  fleet: Fleet,
  { name, rule }: { name: string; rule: string },
): Promise<string[] | undefined> {
  try {
    const rows = {
      list: async (...args: Parameters<Fleet['rows']['list']>) =>
        (await fleet.rows.list(...args)).map(withoutTags),
    }
    return (await findMatchingAgents(ctx, { rows }, RULES_CALLER, { search: rule })).ids
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    ctx.log.info({ tag: name, reason: error.message }, 'the rule of a tag cannot be evaluated')
    return undefined
  }
}

/** The same object for the same row: the search keeps its text. */
const untagged = new WeakMap<AgentRow, AgentRow>()

function withoutTags(row: AgentRow): AgentRow {
  if (row.tags.length === 0) return row
  const known = untagged.get(row)
  if (known !== undefined) return known
  const copy = { ...row, tags: [] }
  untagged.set(row, copy)
  return copy
}

async function applyOne(
  ctx: Context,
  tag: { id: number; rule: string },
  wanted: ReadonlySet<string>,
): Promise<void> {
  await ctx.transaction(async (tx, emit) => {
    await lockRow(tx, 'tags', 'id', tag.id)
    const now = await tx.selectFrom('tags').select('rule').where('id', '=', tag.id).executeTakeFirst()
    // Saved meanwhile: its own run follows.
    if (now?.rule !== tag.rule) return
    const rows = await tx.selectFrom('rule_tags').select('agent_id').where('tag_id', '=', tag.id).execute()
    const before = new Set(rows.map(({ agent_id }) => agent_id))
    const removed = [...before.difference(wanted)]
    const added = await keepExisting(tx, [...wanted.difference(before)])
    for (let from = 0; from < removed.length; from += SLICE)
      await tx
        .deleteFrom('rule_tags')
        .where('tag_id', '=', tag.id)
        .where('agent_id', 'in', removed.slice(from, from + SLICE))
        .execute()
    for (let from = 0; from < added.length; from += SLICE)
      await tx
        .insertInto('rule_tags')
        .values(added.slice(from, from + SLICE).map((agent_id) => ({ agent_id, tag_id: tag.id })))
        .execute()
    const ids = [...removed, ...added]
    if (ids.length === 0) return
    emit({ type: 'agent.changed', ids, agent_ids: ids })
    emit({ type: 'tag.changed', ids: [tag.id] })
  })
}

/** Without machines that were deleted since the search. */
async function keepExisting(tx: Db, ids: string[]): Promise<string[]> {
  const found: string[] = []
  for (let from = 0; from < ids.length; from += SLICE) {
    const slice = ids.slice(from, from + SLICE)
    const rows = await tx.selectFrom('agents').select('agent_id').where('agent_id', 'in', slice).execute()
    found.push(...rows.map(({ agent_id }) => agent_id))
  }
  return found
}
