import type { NoticeCause } from '@muster/rules/alerts/alert-state'
import type { Insertable } from 'kysely'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { AlertActionsTable } from '../../../platform/database/tables/alerts.ts'
import { findNotifiedAlerts, type NotifiedRow } from '../channels/notice-queries.ts'
import { enqueueAction, isOver, lockActions } from './action-queries.ts'
import { markBell } from './apply-templates.ts'
import { cancelActions } from './cancel-actions.ts'
import type { ActionContext } from './end-action.ts'
import { findScriptNames } from './queries.ts'
import type { Template } from './stored-template.ts'
import { openTemplateResolver, type TemplateResolver } from './template-resolver.ts'

/** An action as defined when it was planned. `author`: the user whose role reads the key store. */
export type Work =
  | {
      type: 'script'
      script: number
      args: string[]
      env_vars: string[]
      timeout: number
      run_as_user: boolean
      author?: number | null
    }
  /** Runs on the server. */
  | {
      type: 'server'
      script: number
      args: string[]
      env_vars: string[]
      timeout: number
      author?: number | null
    }
  /** Settings of a webhook from sealSettings. */
  | { type: 'rest'; settings: string }

export interface Changed {
  alertId: number
  notices: readonly NoticeCause[]
}

/**
 * Applies templates to changed alerts, in the transaction that changed them: hides them from the bell, and stores the
 * actions to run. An action is planned when its alert is notified, so a held alert runs nothing. Each kind of action
 * runs once per alert, which a unique index enforces. Planned actions that have not started are cancelled when the
 * alert resolves.
 */
export async function followTemplates(txContext: ActionContext, changed: readonly Changed[]): Promise<void> {
  if (changed.length === 0) return
  const { ctx, tx } = txContext
  const over = changed.filter(({ notices }) => notices.includes('resolved'))
  await cancelActions(
    txContext,
    over.map(({ alertId }) => alertId),
  )
  const book = await openTemplateResolver(tx)
  if (book.isEmpty) return
  const alerts = await findNotifiedAlerts(
    tx,
    changed.map(({ alertId }) => alertId),
  )
  await markBell(tx, book, alerts)
  const byId = new Map(alerts.map((alert) => [alert.id, alert]))
  const planned: Insertable<AlertActionsTable>[] = []
  for (const { alertId, notices } of changed) {
    const alert = byId.get(alertId)
    const kind = kindOf(notices)
    const action = alert && kind && planAction(book, alert, kind)
    if (action !== undefined) planned.push({ ...action, created_at: ctx.now().toISOString() })
  }
  await storeActions(ctx, tx, planned)
}

/** An alert that opened and resolved at once runs nothing. */
function kindOf(notices: readonly NoticeCause[]): 'failure' | 'resolved' | undefined {
  const isOver = notices.includes('resolved')
  if (notices.includes('opened')) return isOver ? undefined : 'failure'
  return isOver ? 'resolved' : undefined
}

function planAction(book: TemplateResolver, alert: NotifiedRow, kind: 'failure' | 'resolved') {
  const asked = book.ask(alert)
  if (asked === undefined || !asked.choices.runsActions) return undefined
  const work = workOf(asked.template, kind)
  if (work === undefined) return undefined
  const { name } = asked.template
  const state = 'waiting' as const
  return { alert_id: alert.id, kind, template_name: name, name: '', work: JSON.stringify(work), state }
}

/** The action of a template for alerts that open or resolve. */
export function workOf({ settings, author_id }: Template, kind: 'failure' | 'resolved'): Work | undefined {
  const prefix = kind === 'failure' ? 'action' : 'resolved_action'
  const script = settings[prefix]
  const rest = settings[`${prefix}_rest` as const]
  if (rest !== null) return { type: 'rest', settings: rest }
  if (script === null) return undefined
  const call = {
    script,
    args: settings[`${prefix}_args` as const],
    env_vars: settings[`${prefix}_env_vars` as const],
    timeout: settings[`${prefix}_timeout` as const],
    author: author_id,
  }
  if (settings[`${prefix}_type` as const] === 'server') return { type: 'server', ...call }
  return { type: 'script', ...call, run_as_user: settings[`${prefix}_run_as_user` as const] }
}

/** The name of a script, or the URL of a webhook. */
export function nameOfWork(work: Work, scripts: ReadonlyMap<number, string>): string {
  if (work.type !== 'rest') return scripts.get(work.script) ?? 'Deleted script'
  // The URL is not a secret. Sealed values stay sealed.
  const { url } = JSON.parse(work.settings) as { url: string }
  return new URL(url).host
}

async function storeActions(
  ctx: Pick<Context, 'jobs'>,
  tx: Db,
  planned: readonly Insertable<AlertActionsTable>[],
): Promise<void> {
  // One by one: few alerts have actions.
  for (const action of planned) {
    // Written by workOf.
    const work = JSON.parse(action.work) as Work
    const scripts = work.type !== 'rest' ? await findScriptNames(tx, [work.script]) : new Map()
    const earlier = await lockActions(tx, action.alert_id)
    const inserted = await tx
      .insertInto('alert_actions')
      .values({ ...action, name: nameOfWork(work, scripts) })
      .onConflict((conflict) => conflict.columns(['alert_id', 'kind']).doNothing())
      .returning('id')
      .executeTakeFirst()
    // One after the other: the end of the earlier action starts this one. The lock prevents a missed start.
    if (inserted !== undefined && earlier.every(isOver)) await enqueueAction(ctx, tx, inserted.id)
  }
}
