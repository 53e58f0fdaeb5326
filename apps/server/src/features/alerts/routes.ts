import {
  changeAlert,
  changeAlerts,
  createAlert,
  getAlert,
  listAlerts,
  noteAlert,
} from '@muster/contract/api/alerts'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { findActions } from './templates/action-queries.ts'
import { viewAction } from './templates/view-actions.ts'
import { addNote, changeAlert as change, changeAlerts as changeMany, requireAlert } from './change-alerts.ts'
import { createCustom } from './create-custom.ts'
import { listPage } from './list-alerts.ts'
import { viewAlert, viewLogEntry } from './view.ts'

export function alertsRoutes(api: Api, ctx: Context): void {
  route(api, listAlerts, async ({ body, caller }) => {
    const { alerts, ...counts } = await listPage(ctx.db, caller, body, ctx.now())
    return { ...counts, alerts: alerts.map(viewAlert) }
  })
  route(api, createAlert, async ({ body, caller }) => viewAlert(await createCustom(ctx, caller, body)))
  route(api, getAlert, async ({ params, caller }) => {
    const alert = await requireAlert(ctx.db, caller, params.id)
    const log = await ctx.db
      .selectFrom('alert_log')
      .selectAll()
      .where('alert_id', '=', alert.id)
      .orderBy('id')
      .execute()
    const actions = await findActions(ctx.db, alert.id)
    return { ...viewAlert(alert), log: log.map(viewLogEntry), actions: actions.map(viewAction) }
  })
  route(api, changeAlert, async ({ params, body, caller }) =>
    viewAlert(await change(ctx, caller, params.id, body)),
  )
  route(api, noteAlert, async ({ params, body, caller }) =>
    viewLogEntry(await addNote(ctx, caller, params.id, body.note)),
  )
  route(api, changeAlerts, async ({ body: { alerts, bulk_action, ...more }, caller }) => ({
    changed: await changeMany(ctx, caller, { ...more, ids: alerts, type: bulk_action }),
  }))
}
