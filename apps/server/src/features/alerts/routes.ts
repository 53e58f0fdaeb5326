import {
  type Alert,
  type AlertLogEntry,
  changeAlert,
  changeAlerts,
  countAlerts,
  createAlert,
  getAlert,
  getAlertSuggestion,
  listAlertCauses,
  listAlerts,
  noteAlert,
} from '@muster/contract/api/alerts'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { audit } from '../audit/write-audit.ts'
import { requireSite } from '../clients/require-node.ts'
import type { AlertLogTable } from '../../platform/database/tables/alerts.ts'
import { viewEscalation } from './escalations/view-escalation.ts'
import { findActions, viewAction } from './templates/action-queries.ts'
import {
  addNote,
  changeAlert as change,
  changeAlerts as changeMany,
  nameOf,
  agentAndSite,
  requireAlert,
} from './change-alerts.ts'
import { findSuggestion } from './find-suggestion.ts'
import { countParts, type ListedAlert, listPage } from './list-alerts.ts'
import { findAlertsOfCause, findCause, listCauses } from './list-causes.ts'
import { findNextNotice } from './queries.ts'
import { causeOfCustom, type Subject } from './causes.ts'
import { takeFindings } from './take-findings.ts'

export function alertsRoutes(api: Api, ctx: Context): void {
  route(
    api,
    listAlerts,
    async ({ body: { cause, ...filter }, caller, inReferenceShape }) => {
      const ids = cause === undefined ? {} : { ids: await findAlertsOfCause(ctx, { caller, filter, cause }) }
      const all = inReferenceShape && filter.top === undefined ? EVERY_ALERT : {}
      const { alerts, ...counts } = await listPage(ctx.db, caller, { ...all, ...filter, ...ids }, ctx.now())
      return { ...counts, alerts: alerts.map(viewAlert) }
    },
    {
      toReference: ({ alerts, ...counts }, { body }) => {
        const rows = alerts.map(toReference)
        return body.top === undefined ? rows : { ...counts, alerts: rows }
      },
    },
  )
  route(api, listAlertCauses, async ({ body, caller }) => {
    const causes = await listCauses(ctx, { caller, filter: body })
    return {
      alerts: causes.reduce((sum, { alerts }) => sum + alerts, 0),
      total: causes.length,
      causes: causes.slice(0, SHOWN_CAUSES),
    }
  })
  route(api, countAlerts, ({ body, caller }) => countParts(ctx.db, caller, body, ctx.now()))
  route(api, createAlert, async ({ body, caller }) => viewAlert(await createCustom(ctx, caller, body)), {
    toReference,
  })
  route(api, getAlert, async ({ params, caller }) => {
    const alert = await requireAlert(ctx.db, caller, params.id)
    const log = await ctx.db
      .selectFrom('alert_log')
      .selectAll()
      .where('alert_id', '=', alert.id)
      .orderBy('id')
      .execute()
    const actions = await findActions(ctx.db, alert.id)
    return {
      ...viewAlert(alert),
      cause: await findCause(ctx, alert.id),
      next_notice: await findNextNotice(ctx.db, alert.id),
      log: log.map(viewLogEntry),
      actions: actions.map(viewAction),
      escalation: await viewEscalation(ctx.db, alert),
    }
  })
  route(api, getAlertSuggestion, async ({ params, caller }) => {
    const alert = await requireAlert(ctx.db, caller, params.id)
    return { suggestion: await findSuggestion(ctx, caller, alert) }
  })
  route(
    api,
    changeAlert,
    async ({ params, body, caller }) =>
      viewAlert(await ctx.transaction((tx, emit) => change({ ctx, tx, emit }, caller, params.id, body))),
    { toReference },
  )
  route(api, noteAlert, async ({ params, body, caller }) =>
    viewLogEntry(await addNote(ctx, caller, params.id, body.note)),
  )
  route(api, changeAlerts, async ({ body: { alerts = [], group, bulk_action: type, ...more }, caller }) => {
    if (group === undefined) return { changed: await changeMany(ctx, caller, { ...more, ids: alerts, type }) }
    const { cause, ...filter } = group
    const ids = await findAlertsOfCause(ctx, { caller, filter, cause })
    return { changed: await changeMany(ctx, caller, { ...more, ids, type, cause }) }
  })
}

const SHOWN_CAUSES = 200

type NewAlert = Parsed<typeof createAlert>['body']

/** Raises a custom alert, or changes the open one with the same key. */
function createCustom(ctx: Context, caller: Caller, body: NewAlert): Promise<ListedAlert> {
  const { agent: agentId, site: siteId, message, severity, key } = body
  if (agentId !== undefined && siteId !== undefined) {
    const sentence = 'Choose a machine or a site, not both.'
    throw new AppError('invalid', sentence, { fields: { site: [sentence] } })
  }
  return ctx.transaction(async (tx, emit) => {
    const agent = agentId === undefined ? undefined : await requireAgent(tx, agentId, caller)
    if (siteId !== undefined) await requireSite(tx, siteId, caller)
    const of = {
      ...(agentId === undefined ? {} : { agent: agentId }),
      ...(siteId === undefined ? {} : { site: siteId }),
    }
    const cause = causeOfCustom(of, key ?? randomUUID())
    const subject: Subject = {
      cause,
      alert_type: 'custom',
      agent_id: agentId ?? null,
      check_id: null,
      site_id: siteId ?? null,
      hold: agent?.maintenance_mode === 1 ? 'maintenance' : null,
    }
    const at = ctx.now()
    const finding = { cause, at, severity, text: message, by: caller.username }
    const open = await takeFindings({ ctx, tx, emit }, new Map([[cause, subject]]), [finding])
    const row = open.get(cause)
    if (row === undefined) throw new Error('the raised alert was not found')
    const alert = await requireAlert(tx, caller, row.id)
    await audit(tx, {
      caller,
      action: 'add',
      object_type: 'alert',
      message: `Raised the alert "${nameOf(alert)}"`,
      after: { severity, message, ...(key === undefined ? {} : { key }) },
      ...agentAndSite(alert),
      at,
      emit,
    })
    return alert
  })
}

/** Without a filter, programs expect all alerts. */
const EVERY_ALERT = { resolvedFilter: true, snoozedFilter: true, heldFilter: true }

function toReference(alert: Alert) {
  const { state, check_id } = alert
  return {
    ...alert,
    resolved: state === 'resolved',
    snoozed: state === 'snoozed',
    hidden: false,
    assigned_check: check_id,
  }
}

function viewAlert(row: ListedAlert): Alert {
  return {
    id: row.id,
    alert_type: row.alert_type,
    state: row.state,
    severity: row.severity,
    message: row.message,
    agent_id: row.agent_id,
    hostname: row.hostname ?? '',
    client_id: row.client_id,
    client: row.client_name ?? '',
    site_id: row.place_id,
    site: row.site_name ?? '',
    check_id: row.check_id,
    alert_time: row.alert_time,
    snooze_until: row.snooze_until,
    acknowledged_by: row.acknowledged_by,
    acknowledged_on: row.acknowledged_on,
    resolved_on: row.resolved_on,
    resolved_by: row.resolved_by,
    hold: row.hold,
    flapping: row.flapping === 1,
  }
}

function viewLogEntry(row: Selectable<AlertLogTable>): AlertLogEntry {
  return { id: row.id, at: row.at, kind: row.kind, by: row.by_user, text: row.text }
}
