import {
  type Alert,
  type AlertActionRun,
  type AlertEscalation,
  type AlertLogEntry,
  AlertPart,
  changeAlert,
  changeAlerts,
  countAlerts,
  getAlert,
  getAlertSuggestion,
  listAlertCauses,
  listAlerts,
  noteAlert,
} from '@muster/contract/api/alerts'
import { type AlertNotification, listAlertNotifications } from '@muster/contract/api/escalations'
import type { Me } from '@muster/contract/api/users'
import { answer, refuse } from '../../testing/test-server.ts'
import { givenDashboard } from '../dashboard/test-dashboard.ts'
import { testCause } from '../overview/test-overview.ts'

export const AGENT = 'alpha0000000'

/** An open alert of a check of alpha, unless said otherwise. */
export function testAlert(more: Partial<Alert> = {}): Alert {
  return {
    id: 1,
    alert_type: 'check',
    state: 'open',
    severity: 'error',
    message: 'Disk space of /srv: 1 GB of 20 GB free (5 %)',
    agent_id: AGENT,
    hostname: 'alpha',
    client_id: 1,
    client: 'Acme',
    site_id: 1,
    site: 'Berlin',
    check_id: 7,
    alert_time: new Date(Date.now() - 7_200_000).toISOString(),
    snooze_until: null,
    acknowledged_by: '',
    acknowledged_on: null,
    resolved_on: null,
    resolved_by: '',
    hold: null,
    flapping: false,
    ...more,
  }
}

export const LOG: AlertLogEntry[] = [
  { id: 1, at: '2026-11-21T10:00:00.000Z', kind: 'opened', by: '', text: 'error' },
  { id: 2, at: '2026-11-21T10:00:01.000Z', kind: 'notice_sent', by: '', text: 'Mail to the team' },
  { id: 3, at: '2026-11-21T10:04:00.000Z', kind: 'noted', by: 'ines', text: 'I am looking at it.' },
]

type Body = Record<string, unknown>
const RANK = { error: 2, warning: 1, info: 0 }

/** A server with these alerts; what is done to them is done. */
export async function givenAlerts(
  given: {
    alerts?: Alert[]
    actions?: AlertActionRun[]
    escalation?: AlertEscalation
    notifications?: AlertNotification[]
    me?: Partial<Me>
  } = {},
) {
  const { server, open } = await givenDashboard({ me: given.me ?? {} })
  const state = { alerts: given.alerts ?? [], actions: given.actions ?? [] }
  const change = (id: number, action: unknown, body: Body) => {
    state.alerts = state.alerts.map((alert) =>
      alert.id === id ? { ...alert, ...changeOf(action, body) } : alert,
    )
    return state.alerts.find((alert) => alert.id === id) ?? testAlert()
  }
  server.on(listAlerts, ({ body }) => {
    const wanted = Object(body) as Body
    const shown = state.alerts
      .filter((alert) => isIn(AlertPart.catch('open').parse(wanted.stateFilter), alert))
      .filter(({ state: now }) => wanted.top === undefined || now === 'open')
      .filter((alert) => wanted.cause === undefined || causeOf(alert) === wanted.cause)
      .toSorted((a, b) => RANK[b.severity] - RANK[a.severity])
    return answer(listAlerts, {
      alerts_count: shown.length,
      worst: shown[0]?.severity ?? null,
      alerts: shown.slice(0, Number(wanted.top ?? wanted.page_size ?? 1000)),
    })
  })
  server.on(listAlertCauses, ({ body }) => {
    const part = AlertPart.catch('open').parse((Object(body) as Body).stateFilter)
    return answer(listAlertCauses, listCauses(state.alerts.filter((alert) => isIn(part, alert))))
  })
  server.on(countAlerts, () => answer(countAlerts, countParts(state.alerts)))
  server.on(getAlert, ({ path }) => {
    const alert = state.alerts.find(({ id }) => path.includes(`/alerts/${id}/`))
    const cause = alert === undefined || alert.state === 'resolved' ? null : causeOf(alert)
    return alert === undefined
      ? refuse('not_found', 'This alert does not exist.')
      : answer(getAlert, {
          ...alert,
          cause,
          next_notice: null,
          log: LOG,
          actions: state.actions,
          escalation: given.escalation ?? null,
        })
  })
  server.on(getAlertSuggestion, () => answer(getAlertSuggestion, { suggestion: null }))
  server.on(listAlertNotifications, () => answer(listAlertNotifications, given.notifications ?? []))
  server.on(changeAlert, ({ body, path }) => {
    const { type } = Object(body) as Body
    const alert = state.alerts.find(({ id }) => path.includes(`/alerts/${id}/`))
    return answer(changeAlert, change(alert?.id ?? 0, type, Object(body) as Body))
  })
  server.on(changeAlerts, ({ body }) => {
    const { bulk_action, alerts, group } = body as {
      bulk_action: string
      alerts?: number[]
      group?: { cause: string }
    }
    const ids = alerts ?? state.alerts.filter((alert) => causeOf(alert) === group?.cause).map(({ id }) => id)
    for (const id of ids) change(id, bulk_action, Object(body) as Body)
    return answer(changeAlerts, { changed: ids.length })
  })
  server.on(noteAlert, () => answer(noteAlert, LOG[2]!))
  return { server, state, open }
}

/** The text before the last colon names the cause. */
const nameOf = ({ message }: Alert) => message.split(': ').slice(0, -1).join(': ') || message
const causeOf = (alert: Alert) => `check:${alert.severity}:${nameOf(alert)}`

function isIn(part: AlertPart, { state, hold }: Alert): boolean {
  if (part === 'all') return true
  if (state === 'resolved' || part === 'resolved') return state === part
  if (part === 'suppressed' || hold !== null) return part === 'suppressed' && hold !== null
  return part === 'open' || part === state
}

function countParts(alerts: readonly Alert[]): Record<AlertPart, number> {
  const count = (part: AlertPart) => alerts.filter((alert) => isIn(part, alert)).length
  return {
    open: count('open'),
    acknowledged: count('acknowledged'),
    snoozed: count('snoozed'),
    suppressed: count('suppressed'),
    resolved: count('resolved'),
    all: count('all'),
  }
}

function listCauses(all: readonly Alert[]) {
  const alerts = all
    .filter(({ state }) => state !== 'resolved')
    .toSorted((a, b) => RANK[b.severity] - RANK[a.severity])
  const causes = [...Map.groupBy(alerts, causeOf)].map(([key, of]) =>
    testCause({
      key,
      name: key.split(':').slice(2).join(':'),
      severity: of[0]?.severity ?? 'error',
      alerts: of.length,
      machines: of.length,
      hostname: of.length === 1 ? (of[0]?.hostname ?? '') : '',
      clients: [{ name: 'Acme', alerts: of.length }],
      acknowledged: of.filter(({ state }) => state === 'acknowledged').length,
      acknowledged_by: of[0]?.acknowledged_by ?? '',
      snoozed: of.filter(({ state }) => state === 'snoozed').length,
      snooze_until: of[0]?.snooze_until ?? null,
    }),
  )
  return { alerts: alerts.length, total: causes.length, causes }
}

function changeOf(action: unknown, { snooze_until }: Body): Partial<Alert> {
  switch (action) {
    case 'acknowledge':
      return { state: 'acknowledged', acknowledged_by: 'ada', acknowledged_on: new Date().toISOString() }
    case 'snooze':
      return { state: 'snoozed', snooze_until: `${snooze_until as string}` }
    case 'resolve':
      return { state: 'resolved', resolved_by: 'ada', resolved_on: new Date().toISOString() }
    default:
      return { state: 'open', snooze_until: null }
  }
}
