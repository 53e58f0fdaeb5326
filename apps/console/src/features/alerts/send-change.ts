import {
  type Alert,
  type AlertAction,
  type AlertCause,
  changeAlert,
  changeAlerts,
} from '@muster/contract/api/alerts'
import { call } from '../../app/api/api.ts'
import { countAlerts } from './alert-labels.ts'
import type { CausesRequest } from './alert-view.ts'

export interface AlertChange {
  action: AlertAction
  alerts: readonly Pick<Alert, 'id'>[]
  /** All alerts of this cause, instead of `alerts`. */
  group?: AlertGroup | undefined
  note?: string
  /** End of a snooze. */
  untilMs?: number
}

/** All alerts of a cause that match a filter. */
export interface AlertGroup {
  cause: Pick<AlertCause, 'key' | 'name' | 'alerts'>
  filter: CausesRequest
}

/** Number of alerts that a change names. */
export const countNamed = ({ alerts, group }: Pick<AlertChange, 'alerts' | 'group'>): number =>
  group === undefined ? alerts.length : group.cause.alerts

/** Applies a change to one or many alerts; returns how many it changed. */
export async function sendChange({
  action,
  alerts,
  group,
  note = '',
  untilMs,
}: AlertChange): Promise<number> {
  const more = {
    ...(note.trim() === '' ? {} : { note: note.trim() }),
    ...(untilMs === undefined ? {} : { snooze_until: new Date(untilMs).toISOString() }),
  }
  if (group !== undefined) {
    const { cause, filter } = group
    const body = { bulk_action: action, group: { ...filter, cause: cause.key }, ...more }
    return (await call(changeAlerts, { body })).changed
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
export function describeChange(change: AlertChange, changed: number): string {
  const { action } = change
  const asked = countNamed(change)
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
