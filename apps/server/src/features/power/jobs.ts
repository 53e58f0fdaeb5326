import { z } from 'zod'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Job } from '../../platform/jobs/run-job.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { audit } from '../audit/write-audit.ts'
import { changePower, REBOOT_JOB } from './power-actions.ts'
import { type ActionRow, changeAction, emitActions, findAction } from './pending-actions/pending-actions.ts'

/** A machine that reconnects later than this is not restarted, because nobody expects it any more. */
const GRACE_MS = 15 * 60_000
const AGAIN_MS = 60_000
const INTERRUPTED = 'The server stopped while it asked the machine, which may have restarted.'

/**
 * Restarts a machine at the planned time. The row is marked before the request: a mark found later means that the
 * request was interrupted, and it is not repeated.
 */
export async function rebootWhenDue(ctx: Context, fleet: Fleet, id: number): Promise<void> {
  const action = await findAction(ctx.db, id)
  if (action === undefined || action.status !== 'pending') return
  if (action.begun_at !== null) return end(ctx, action, INTERRUPTED, 'Interrupted the planned restart')
  const lateMs = ctx.now().getTime() - Date.parse(action.due)
  if (lateMs > GRACE_MS)
    return end(
      ctx,
      action,
      `The restart was skipped: ${action.hostname} or the server was offline at its time.`,
      'Cancelled the planned restart, which was overdue',
    )
  if (!(await changeAction(ctx.db, id, { begun_at: ctx.now().toISOString() }, 'not begun'))) return
  const caller = { username: action.username, source: '' }
  try {
    const { answered } = await changePower(ctx, { fleet, caller, agent: action }, 'reboot')
    await end(
      ctx,
      action,
      answered ? 'Restarted.' : 'The machine went offline without a response and has most likely restarted.',
    )
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code !== 'agent_offline') return end(ctx, action, error.message)
    const dueAt = new Date(ctx.now().getTime() + AGAIN_MS)
    await ctx.transaction(async (tx) => {
      if (await changeAction(tx, id, { begun_at: null }, 'begun'))
        await ctx.jobs.enqueue(REBOOT_JOB, { id }, { dueAt, db: tx })
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
  return [{ name: REBOOT_JOB, run: (payload) => rebootWhenDue(ctx, fleet, Payload.parse(payload).id) }]
}
