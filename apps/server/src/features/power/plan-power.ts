import { randomUUID } from 'node:crypto'
import {
  MAX_POSTPONEMENTS,
  POSTPONE_MINUTES,
  type PowerPlan,
  type WarnedAction,
} from '@muster/contract/agent/power'
import type { PendingAction } from '@muster/contract/api/pending-actions'
import type { PowerWarning } from '@muster/contract/api/power'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { audit, failedTo } from '../audit/write-audit.ts'
import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import {
  type ActionRow,
  emitActions,
  findAction,
  insertAction,
  viewAction,
} from './pending-actions/pending-actions.ts'
import { DONE, type Order } from './power-actions.ts'

const TYPES = { reboot: 'schedreboot', shutdown: 'schedshutdown', sign_out: 'schedsignout' } as const
const PLANNED: Record<WarnedAction, string> = {
  reboot: 'Planned a restart of the machine',
  shutdown: 'Planned a shutdown of the machine',
  sign_out: 'Planned a sign-out of the user of the machine',
}

/** The plan of an action for its machine. */
export function makePlan(
  id: string,
  action: WarnedAction,
  { message, may_postpone, postponements, postpone_minutes, deadline_minutes }: PowerWarning,
  when: Pick<PowerPlan, 'seconds' | 'if_nobody'>,
): PowerPlan {
  return {
    id,
    action,
    message,
    postponements: may_postpone ? (postponements ?? MAX_POSTPONEMENTS) : 0,
    postpone_seconds: (postpone_minutes ?? POSTPONE_MINUTES) * 60,
    ...(deadline_minutes === undefined ? {} : { deadline_seconds: deadline_minutes * 60 }),
    ...when,
  }
}

/**
 * Asks the machine to warn its user and then to do it; without a user it does it at once. The row exists before the
 * request, because a response can be lost: the machine reports about its plan later.
 */
export async function planPower(
  ctx: Context,
  { fleet, caller, agent, action, warning }: Order & { action: WarnedAction; warning: PowerWarning },
): Promise<{ answered: boolean; planned: PendingAction | null }> {
  const now = ctx.now()
  const seconds = warning.delay_minutes * 60
  const plan = randomUUID()
  const id = await insertAction(ctx.db, {
    agent_id: agent.agent_id,
    action_type: TYPES[action],
    status: 'pending',
    due: new Date(now.getTime() + seconds * 1000).toISOString(),
    username: caller.username,
    entry_time: now.toISOString(),
    begun_at: now.toISOString(),
    output: '',
    plan,
    warning: JSON.stringify(warning),
  })
  const write = (tx: Db, emit: (event: Event) => void, message: string, more: object = {}) =>
    audit(tx, {
      caller,
      action: 'modify',
      object_type: 'agent',
      message,
      after: { action, ...warning, ...more },
      agent,
      emit,
    })
  try {
    const input = makePlan(plan, action, warning, { seconds, if_nobody: 'now' })
    const { due } = await fleet.ask(agent, 'plan-power', { input, author: caller.username })
    if (due !== null) return { answered: true, planned: await keep(due) }
    await ctx.transaction(async (tx, emit) => {
      await remove(tx)
      await write(tx, emit, DONE[action])
    })
    return { answered: true, planned: null }
  } catch (error) {
    if (error instanceof AppError && error.code === 'unavailable')
      return { answered: false, planned: await keep(null) }
    const problem = error instanceof AppError ? error.message : undefined
    await ctx.transaction(async (tx, emit) => {
      await remove(tx)
      // Nothing was sent to an offline machine.
      if (problem !== undefined && !(error instanceof AppError && error.code === 'agent_offline'))
        await write(tx, emit, failedTo(DONE[action]), { problem })
    })
    throw error
  }

  /** `due`: null without a response. Returns null if the machine has already reported its end. */
  function keep(due: string | null): Promise<PendingAction | null> {
    return ctx.transaction(async (tx, emit) => {
      const noted = due === null ? ' (without a response)' : ''
      await write(tx, emit, `${PLANNED[action]}${noted}`, due === null ? {} : { due })
      await markSent(tx, id, { now: ctx.now(), due })
      emitActions(emit, [id], agent.agent_id)
      const row = await findAction(tx, id)
      return row?.status === 'pending' ? viewAction(row) : null
    })
  }

  async function remove(tx: Db): Promise<void> {
    await tx.deleteFrom('pending_actions').where('id', '=', id).where('status', '=', 'pending').execute()
  }
}

/** The machine has the plan. Its own reports may have changed the time already. */
export async function markSent(
  tx: Db,
  id: number,
  { now, due }: { now: Date; due: string | null },
): Promise<void> {
  await tx
    .updateTable('pending_actions')
    .set({ sent_at: now.toISOString(), ...(due === null ? {} : { due }) })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('sent_at', 'is', null)
    .execute()
}

export const actionOf = ({ action_type }: Pick<ActionRow, 'action_type'>): WarnedAction =>
  action_type === 'schedshutdown' ? 'shutdown' : action_type === 'schedsignout' ? 'sign_out' : 'reboot'
