import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { AgentRow } from '@muster/contract/api/agents'
import type { JobPlan, PlannedMachine, SkipCode } from '@muster/contract/api/fleet-jobs'
import type { JobActionType, JobDraft } from '@muster/contract/fleet-jobs/job-draft'
import { AppError } from '@muster/contract/errors'
import { orderMachines, splitIntoWaves } from '@muster/rules/fleet-jobs/waves'
import type { Context } from '../../context.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { chunk } from '../../platform/database/sql.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { findAgentsWithSite } from '../agents/queries.ts'
import { findUnfitMachines } from '../software/find-unfit-machines.ts'
import { describeAction, isForOffline, isRunAction, openRunOrders, requireMayAct } from './actions.ts'
import { readDueTimes } from './due-times.ts'
import { findTarget } from './find-target.ts'

export interface PlannedRow {
  row: AgentRow
  skip: { code: SkipCode; reason: string } | undefined
  /** When it may start, by its clock and its maintenance windows. */
  dueAt: string | undefined
}

export interface PlannedJob {
  hash: string
  name: string
  action: JobActionType
  actionText: string
  matched: number
  /** Planned machines in the order of their waves, then skipped ones. */
  rows: PlannedRow[]
  /** Machines that are not skipped. */
  machines: number
  /** Those of them that run when they return. */
  offline: number
  /** Sizes of the waves. */
  waves: number[]
  expiresAt: Date
}

/**
 * Plans a job for what the caller may see and do now. The hash covers the draft, the machines and what each does, but
 * not whether they are connected, which changes all the time.
 */
export async function planJob(
  ctx: Context,
  fleet: Fleet,
  caller: Caller,
  draft: JobDraft,
): Promise<PlannedJob> {
  const { action, schedule, rollout } = draft
  await requireMayAct(ctx.db, caller, action)
  const isPast =
    schedule.start.at === 'time' && Date.parse(schedule.start.time) < ctx.now().getTime() - 60_000
  if (isPast)
    throw new AppError('invalid', 'This time is over. Choose a later one.', {
      fields: { 'schedule.start': ['Choose a later time.'] },
    })
  const described = await describeAction(ctx, caller, action)
  const found = await findTarget(ctx, fleet, caller, draft)
  const due = await readDueTimes(ctx.db, schedule, found, ctx.now())
  const refusalOf = await findRefusals(ctx, caller, draft, found)
  await setImmediate()
  const waitsForOffline = !isForOffline(action)
  const all = found.map((row): PlannedRow => {
    const unsuitable = described.unsuitable(row)
    const dueAt = due.dueAt.get(row.agent_id)
    const dueProblem = due.problems.get(row.agent_id)
    const refusal = refusalOf.get(row.agent_id)
    const skip = (code: SkipCode, reason: string) => ({ row, dueAt, skip: { code, reason } })
    if (unsuitable !== undefined) return skip('unsuitable', unsuitable)
    if (dueProblem !== undefined) return skip('unsuitable', dueProblem)
    if (refusal !== undefined) return skip(refusal.code, refusal.reason)
    if (!row.connected && waitsForOffline && schedule.offline === 'skip')
      return skip('offline', 'The machine is offline.')
    return { row, dueAt, skip: undefined }
  })
  const planned = all.filter(({ skip }) => skip === undefined)
  const byId = new Map(planned.map((one) => [one.row.agent_id, one]))
  const name = draft.name === '' ? described.text : draft.name
  const order = orderMachines(
    planned.map(({ row }) => row),
    name,
  )
  // Each part of the plan of 10,000 machines takes about 20 ms: other calls run in between.
  await setImmediate()
  const { name: _, ...rest } = draft
  const content = all
    .map(({ row, skip }) => `${row.agent_id} ${skip === undefined ? described.text : skip.code}`)
    .toSorted()
  return {
    hash: createHash('sha256')
      .update(JSON.stringify([rest, content]))
      .digest('hex')
      .slice(0, 12),
    name,
    action: action.type,
    actionText: described.text,
    matched: found.length,
    rows: [
      ...order.flatMap((row) => byId.get(row.agent_id) ?? []),
      ...all.filter(({ skip }) => skip !== undefined),
    ],
    machines: planned.length,
    offline: waitsForOffline ? planned.filter(({ row }) => !row.connected).length : 0,
    waves: splitIntoWaves(planned.length, rollout.waves),
    expiresAt: due.expiresAt,
  }
}

/** Machines on which the caller may not use a key of the script, or a variable has no value. */
async function findRefusals(
  ctx: Context,
  caller: Caller,
  { action }: JobDraft,
  rows: readonly AgentRow[],
): Promise<Map<string, { code: SkipCode; reason: string }>> {
  const refusals = new Map<string, { code: SkipCode; reason: string }>()
  if (
    !isRunAction(action) ||
    action.type === 'command' ||
    action.type === 'package_file' ||
    action.type === 'push_file'
  )
    return refusals
  if (action.type === 'software') {
    const ids = rows.map((row) => row.agent_id)
    const unfit = await findUnfitMachines(ctx.db, { change: action.do, names: action.names }, ids)
    for (const [id, reason] of unfit) refusals.set(id, { code: 'unsuitable', reason })
    return refusals
  }
  const texts =
    action.type === 'script' && !(await usesVariables(ctx, action))
      ? undefined
      : rows.map((row) => row.agent_id)
  for (const ids of texts === undefined ? [] : chunk(texts)) {
    const agents = await findAgentsWithSite(ctx.db, ids)
    const orderOf = await openRunOrders(ctx, caller, { action, agents, expiresInSeconds: 60, jobId: 0 })
    for (const agent of agents) {
      const problem = refusalOf(() => orderOf(agent))
      if (problem !== undefined) refusals.set(agent.agent_id, problem)
    }
  }
  return refusals
}

/** Returns why a run cannot be made, or undefined. */
export function refusalOf(make: () => unknown): { code: SkipCode; reason: string } | undefined {
  try {
    make()
    return undefined
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { code: error.code === 'not_allowed' ? 'no_right' : 'unsuitable', reason: error.message }
  }
}

async function usesVariables(
  ctx: Context,
  action: Extract<JobDraft['action'], { type: 'script' }>,
): Promise<boolean> {
  const script = await ctx.db
    .selectFrom('scripts')
    .select(['args', 'env_vars', 'parameters'])
    .where('id', '=', action.script)
    .executeTakeFirst()
  const texts = [
    action.args === undefined ? (script?.args ?? '') : JSON.stringify(action.args),
    action.env_vars === undefined ? (script?.env_vars ?? '') : JSON.stringify(action.env_vars),
    // Defaults of parameters.
    script?.parameters ?? '',
  ]
  return texts.some((text) => text.includes('{{'))
}

export function viewPlan(plan: PlannedJob, limit: number, needsApproval: boolean): JobPlan {
  const planned = plan.rows.filter(({ skip }) => skip === undefined)
  const skipped = plan.rows.flatMap(({ skip }) => (skip === undefined ? [] : [skip]))
  const numbers = plan.waves.flatMap((size, i) => Array<number>(size).fill(i + 1))
  return {
    hash: plan.hash,
    name: plan.name,
    action_text: plan.actionText,
    matched: plan.matched,
    planned: planned.length,
    offline: plan.offline,
    waves: plan.waves.map((size, i) => ({ number: i + 1, size })),
    skipped: Map.groupBy(skipped, ({ code, reason }) => `${code} ${reason}`)
      .values()
      // A group has at least one member.
      .map((group) => ({ ...group[0]!, count: group.length }))
      .toArray()
      .toSorted((a, b) => b.count - a.count),
    needs_approval: needsApproval,
    machines: [
      ...plan.rows.slice(0, Math.min(limit, plan.machines)),
      ...plan.rows.slice(plan.machines).slice(0, limit),
    ].map(({ row, skip }, i): PlannedMachine => ({
      agent_id: row.agent_id,
      hostname: row.hostname,
      client_name: row.client_name,
      site_name: row.site_name,
      plat: row.plat,
      connected: row.connected,
      wave: skip === undefined ? (numbers[i] ?? null) : null,
      text: skip?.reason ?? plan.actionText,
      skip: skip?.code ?? null,
    })),
  }
}
