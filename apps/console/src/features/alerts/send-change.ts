import { type Alert, type AlertAction, changeAlert, changeAlerts } from '@muster/contract/api/alerts'
import { call } from '../../app/api/api.ts'
import { countAlerts } from './alert-labels.ts'

export interface AlertChange {
  action: AlertAction
  alerts: readonly Pick<Alert, 'id'>[]
  note?: string
  /** End of a snooze. */
  untilMs?: number
}

/** Applies a change to one or many alerts; returns how many it changed. */
export async function sendChange({ action, alerts, note = '', untilMs }: AlertChange): Promise<number> {
  const more = {
    ...(note.trim() === '' ? {} : { note: note.trim() }),
    ...(untilMs === undefined ? {} : { snooze_until: new Date(untilMs).toISOString() }),
  }
  const [first] = alerts
  if (first === undefined) return 0
  if (alerts.length === 1) {
    await call(changeAlert, { params: { id: first.id }, body: { type: action, ...more } })
    return 1
  }
  const ids = alerts.map(({ id }) => id)
  const { changed } = await call(changeAlerts, { body: { bulk_action: action, alerts: ids, ...more } })
  return changed
}

/** Text of the notification; counts the alerts that did not change. */
export function describeChange({ action, alerts }: AlertChange, changed: number): string {
  const asked = alerts.length
  if (asked === 1) return `Alert ${DONE[action]}.`
  if (changed === asked) return `${countAlerts(asked)} ${DONE[action]}.`
  return `${changed} of ${countAlerts(asked)} ${DONE[action]}. The others had already changed.`
}

const DONE: Record<AlertAction, string> = {
  acknowledge: 'acknowledged',
  unacknowledge: 'reopened',
  snooze: 'snoozed',
  unsnooze: 'reopened',
  resolve: 'resolved',
}
