import type { Event } from '@muster/contract/events'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import { writeAlertLog } from '../alert-log.ts'
import { emitAlertsChanged } from '../emit-changed.ts'
import { type ActionRow, isOver, lockActions, updateAction } from './action-queries.ts'
import { enqueueAction } from './enqueue-action.ts'

/** So much of what a script wrote or a server answered is kept with the alert; all of it is in the history. */
export const MOST_OUTPUT = 4000
const MOST_IN_LOG = 300

export interface ActionScene {
  ctx: Pick<Context, 'jobs' | 'now' | 'engine'>
  tx: Db
  emit: (event: Event) => void
}

export interface ActionEnd {
  state: 'done' | 'failed' | 'called_off'
  retcode: number | null
  executionTime: number | null
  /** What was written or answered, or why it failed. */
  output: string
}

/** Writes down how an action went, with it and in the log of its alert, and starts the one that waited for it. */
export async function endAction(
  scene: ActionScene,
  action: Pick<ActionRow, 'id' | 'alert_id' | 'kind' | 'name'>,
  end: ActionEnd,
): Promise<void> {
  const { ctx, tx } = scene
  const ended_at = ctx.now().toISOString()
  await updateAction(tx, action.id, {
    state: end.state,
    ended_at,
    retcode: end.retcode,
    execution_time: end.executionTime,
    output: cutHead(end.output, MOST_OUTPUT),
    work: '',
  })
  await logAction(scene, action, { kind: `action_${end.state}`, text: wordsOf(end) })
  for (const other of await lockActions(tx, action.alert_id)) {
    if (other.id !== action.id && !isOver(other)) await enqueueAction(ctx, tx, other.id)
  }
}

/** Adds to the log of the alert what became of an action. */
export async function logAction(
  { ctx, tx, emit }: ActionScene,
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
  const head = cutHead(output.trim(), MOST_IN_LOG)
  if (retcode === null || executionTime === null) return head === '' ? 'It failed.' : head
  const took = `${executionTime.toFixed(1)} s`
  const words = state === 'done' ? `done after ${took}` : `ended with ${retcode} after ${took}`
  return head === '' ? `${words}, without output.` : `${words}: ${head}`
}

function cutHead(text: string, most: number): string {
  // Half a surrogate pair would be no text any more, and PostgreSQL keeps no zero.
  const clean = text.replaceAll('\0', '\uFFFD')
  return clean.length <= most ? clean.toWellFormed() : `${clean.slice(0, most - 1).toWellFormed()}…`
}
