/** Actions of users on alerts, and why an action is refused. */
import { type AlertLogKind, type AlertSnapshot, type AlertStep, resolve } from './alert-state.ts'

export type AlertActionType = 'acknowledge' | 'unacknowledge' | 'snooze' | 'unsnooze' | 'resolve'

export interface AlertAction {
  type: AlertActionType
  at: string
  by: string
  note: string
  /** For a snooze. */
  until?: string | undefined
  /** For a resolve: the problem continues, so its next result opens another alert. */
  stillStands?: boolean
}

export type AlertOutcome = AlertStep | { refused: string }

const MAX_SNOOZE_MS = 9998 * 86_400_000

/** Applies an action, or returns why it is not possible. */
export function actOnAlert(before: AlertSnapshot, action: AlertAction): AlertOutcome {
  if (before.state === 'resolved') {
    const how = before.resolved_by === '' ? 'automatically' : `by ${before.resolved_by}`
    return { refused: `This alert was already resolved ${how}.` }
  }
  switch (action.type) {
    case 'acknowledge':
      if (before.state === 'acknowledged')
        return { refused: `${before.acknowledged_by} has already acknowledged this alert.` }
      return step(action, 'acknowledged', {
        ...before,
        state: 'acknowledged',
        snooze_until: null,
        acknowledged_by: action.by,
        acknowledged_on: action.at,
      })
    case 'unacknowledge':
      if (before.state !== 'acknowledged') return { refused: 'This alert is not acknowledged.' }
      return step(action, 'unacknowledged', reopened(before))
    case 'snooze':
      return snooze(before, action)
    case 'unsnooze':
      if (before.state !== 'snoozed') return { refused: 'This alert is not snoozed.' }
      return step(action, 'unsnoozed', reopened(before))
    case 'resolve':
      return resolve(before, {
        at: action.at,
        by: action.by,
        text: action.note,
        look_after: action.stillStands === true ? action.at : null,
      })
  }
}

function snooze(before: AlertSnapshot, action: AlertAction): AlertOutcome {
  const { until, at } = action
  if (until === undefined) return { refused: 'Set the end of the snooze.' }
  if (until <= at) return { refused: 'The end of a snooze must be in the future.' }
  if (Date.parse(until) - Date.parse(at) > MAX_SNOOZE_MS)
    return { refused: 'A snooze must not exceed 9998 days.' }
  const text = action.note === '' ? `Until ${until}.` : `Until ${until}: ${action.note}`
  const next: AlertSnapshot = { ...reopened(before), state: 'snoozed', snooze_until: until }
  return step({ ...action, note: text }, 'snoozed', next)
}

function reopened(before: AlertSnapshot): AlertSnapshot {
  return { ...before, state: 'open', snooze_until: null, acknowledged_by: '', acknowledged_on: null }
}

function step({ at, by, note }: AlertAction, kind: AlertLogKind, next: AlertSnapshot): AlertStep {
  return { next, log: [{ at, kind, by, text: note }], notice: null }
}
