import {
  type Alert,
  type AlertActionRun,
  type AlertLogEntry,
  changeAlert,
  changeAlerts,
  getAlert,
  listAlerts,
  noteAlert,
} from '@muster/contract/api/alerts'
import type { Me } from '@muster/contract/api/users'
import { answer, refuse } from '../../testing/test-server.ts'
import { givenDashboard } from '../dashboard/test-dashboard.ts'

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
  given: { alerts?: Alert[]; actions?: AlertActionRun[]; me?: Partial<Me> } = {},
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
      .filter(({ state: now }) => now !== 'resolved' || wanted.resolvedFilter === true)
      .filter(({ state: now }) => now !== 'snoozed' || wanted.snoozedFilter === true)
      .filter(({ hold }) => hold === null || wanted.heldFilter === true)
      .filter(({ state: now }) => wanted.top === undefined || now === 'open')
      .toSorted((a, b) => RANK[b.severity] - RANK[a.severity])
    return answer(listAlerts, {
      alerts_count: shown.length,
      worst: shown[0]?.severity ?? null,
      alerts: shown.slice(0, Number(wanted.top ?? wanted.page_size ?? 1000)),
    })
  })
  server.on(getAlert, () => {
    const [alert] = state.alerts
    return alert === undefined
      ? refuse('not_found', 'This alert does not exist.')
      : answer(getAlert, { ...alert, log: LOG, actions: state.actions })
  })
  server.on(changeAlert, ({ body }) => {
    const { type } = Object(body) as Body
    return answer(changeAlert, change(state.alerts[0]?.id ?? 0, type, Object(body) as Body))
  })
  server.on(changeAlerts, ({ body }) => {
    const { bulk_action, alerts } = body as { bulk_action: string; alerts: number[] }
    for (const id of alerts) change(id, bulk_action, Object(body) as Body)
    return answer(changeAlerts, { changed: alerts.length })
  })
  server.on(noteAlert, () => answer(noteAlert, LOG[2]!))
  return { server, state, open }
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
