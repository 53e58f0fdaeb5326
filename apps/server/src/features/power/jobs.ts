import { z } from 'zod'
import { randomUUID } from 'node:crypto'
import { PowerWarning } from '@muster/contract/api/power'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { audit } from '../audit/write-audit.ts'
import { actionOf, makePlan, markSent } from './plan-power.ts'
import { REBOOT_JOB } from './power-actions.ts'
import { CANCEL_JOB, cancelOnReturn } from './pending-actions/cancel-action.ts'
import { type ActionRow, changeAction, emitActions, findAction } from './pending-actions/pending-actions.ts'

/** A machine that reconnects later than this is not restarted, because nobody expects it any more. */
const GRACE_MS = 15 * 60_000
const AGAIN_MS = 60_000
/** The user of a machine that was offline at the time of the warning has at least this long. */
const MIN_WARNING_SECONDS = 60

/**
 * Hands a planned restart to its machine, early enough for its warning. The row is marked before the request. A mark
 * found later means that the request was interrupted: it is not repeated, and the machine reports if it has the plan.
 */
export async function rebootWhenDue(ctx: Context, fleet: Fleet, id: number): Promise<void> {
  const action = await findAction(ctx.db, id)
  if (action === undefined || action.status !== 'pending') return
  if (action.begun_at !== null) {
    await ctx.transaction((tx) => markSent(tx, id, { now: ctx.now(), due: null }))
    return
  }
  const lateMs = ctx.now().getTime() - Date.parse(action.due)
  if (lateMs > GRACE_MS)
    return end(
      ctx,
      action,
      `The restart was skipped: ${action.hostname} or the server was offline at its time.`,
      'Cancelled the planned restart, which was overdue',
    )
  // Rows of older servers have no plan.
  const plan = action.plan ?? randomUUID()
  const begun = { begun_at: ctx.now().toISOString(), plan }
  if (!(await changeAction(ctx.db, id, begun, 'not begun'))) return
  const warning = PowerWarning.parse(JSON.parse(action.warning ?? '{}'))
  const seconds = Math.max(MIN_WARNING_SECONDS, Math.ceil(-lateMs / 1000))
  try {
    const input = makePlan(plan, actionOf(action), warning, { seconds, if_nobody: 'wait' })
    const { due } = await fleet.ask(action, 'plan-power', { input, author: action.username })
    await keep(due)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'unavailable') return keep(null)
    if (error.code !== 'agent_offline') return end(ctx, action, error.message)
    const dueAt = new Date(ctx.now().getTime() + AGAIN_MS)
    await ctx.transaction(async (tx) => {
      if (await changeAction(tx, id, { begun_at: null }, 'begun'))
        await ctx.jobs.enqueue(REBOOT_JOB, { id }, { dueAt, db: tx })
    })
  }

  function keep(due: string | null): Promise<void> {
    return ctx.transaction(async (tx, emit) => {
      await markSent(tx, id, { now: ctx.now(), due })
      emitActions(emit, [id], action?.agent_id ?? '')
    })
  }
}

async function end(ctx: Context, action: ActionRow, output: string, message?: string): Promise<void> {
  const { id, agent_id, due, username } = action
  await ctx.transaction(async (tx, emit) => {
    const values = { status: 'completed', output, finished_at: ctx.now().toISOString() } as const
    const isEnded =
      (await changeAction(tx, id, values, 'begun')) || (await changeAction(tx, id, values, 'not begun'))
    if (!isEnded) return
    if (message !== undefined)
      await audit(tx, {
        caller: { username, source: '' },
        action: 'modify',
        object_type: 'agent',
        message,
        after: { id, due, output },
        agent: action,
        emit,
      })
    emitActions(emit, [id], agent_id)
  })
}

const Payload = z.object({ id: z.int() })

export function powerJobs(ctx: Context, fleet: Fleet): Job[] {
  return [
    { name: REBOOT_JOB, run: (payload) => rebootWhenDue(ctx, fleet, Payload.parse(payload).id) },
    { name: CANCEL_JOB, run: (payload) => cancelOnReturn(ctx, fleet, Payload.parse(payload).id) },
  ]
}
