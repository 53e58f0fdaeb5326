import { joinEnds, keepEnds } from '@muster/rules/text/output-ends'
import type { Event } from '@muster/contract/events'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import { emitAlertsChanged, writeAlertLog } from '../alert-log.ts'
import { type ActionRow, enqueueAction, isOver, lockActions, updateAction } from './action-queries.ts'

/** Maximum output or response kept with the alert. The history has all of it. */
export const MAX_OUTPUT = 4000
const MAX_IN_LOG = 300

export interface ActionContext {
  ctx: Pick<Context, 'jobs' | 'now' | 'engine'>
  tx: Db
  emit: (event: Event) => void
}

export interface ActionEnd {
  state: 'done' | 'failed' | 'called_off'
  retcode: number | null
  executionTime: number | null
  /** The output, the response, or the reason of the failure. */
  output: string
}

/** Records the outcome of an action, also in the log of its alert, and starts the action that waited for it. */
export async function endAction(
  txContext: ActionContext,
  action: Pick<ActionRow, 'id' | 'alert_id' | 'kind' | 'name'>,
  end: ActionEnd,
): Promise<void> {
  const { ctx, tx } = txContext
  const ended_at = ctx.now().toISOString()
  await updateAction(tx, action.id, {
    state: end.state,
    ended_at,
    retcode: end.retcode,
    execution_time: end.executionTime,
    output: cutMiddle(end.output, MAX_OUTPUT),
    work: '',
  })
  await logAction(txContext, action, { kind: `action_${end.state}`, text: wordsOf(end) })
  for (const other of await lockActions(tx, action.alert_id)) {
    if (other.id !== action.id && !isOver(other)) await enqueueAction(ctx, tx, other.id)
  }
}

/** The output of a script as it is kept with the alert: why it failed, and the first and last part of each stream. */
export function describeOutput(reason: string, output: { stdout: string; stderr: string }): string {
  const written = joinEnds(output, Math.max(0, MAX_OUTPUT - reason.length - 1))
  return [reason, written].filter((text) => text !== '').join('\n')
}

/** Adds the outcome of an action to the log of the alert. */
export async function logAction(
  { ctx, tx, emit }: ActionContext,
  { alert_id, kind: actionKind, name }: Pick<ActionRow, 'alert_id' | 'kind' | 'name'>,
  { kind, text }: { kind: 'action_started' | `action_${ActionEnd['state']}`; text: string },
): Promise<void> {
  const title = actionKind === 'failure' ? 'Failure action' : 'Resolved action'
  const at = ctx.now().toISOString()
  await writeAlertLog(tx, [{ alert_id, at, kind, text: `${title} "${name}": ${text}` }])
  const alert = await tx
    .selectFrom('alerts')
    .select(['id', 'agent_id'])
    .where('id', '=', alert_id)
    .executeTakeFirst()
  if (alert !== undefined) emitAlertsChanged(emit, [alert])
}

function wordsOf({ state, retcode, executionTime, output }: ActionEnd): string {
  const shown = cutMiddle(output.trim(), MAX_IN_LOG)
  if (retcode === null || executionTime === null) return shown === '' ? 'The action failed.' : shown
  const took = `${executionTime.toFixed(1)} s`
  const words = state === 'done' ? `succeeded after ${took}` : `exited with ${retcode} after ${took}`
  return shown === '' ? `${words}, without output.` : `${words}: ${shown}`
}

function cutMiddle(text: string, most: number): string {
  // A lone surrogate is not valid text, and PostgreSQL stores no NUL.
  return keepEnds(text.replaceAll('\0', '\uFFFD'), most).toWellFormed()
}
