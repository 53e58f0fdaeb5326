import type { Alert, AlertAction } from '@muster/contract/api/alerts'

/** Whether an action makes sense for an alert in its state; the server decides finally. */
export function fits(action: AlertAction, { state }: Pick<Alert, 'state'>): boolean {
  switch (action) {
    case 'acknowledge':
      return state === 'open' || state === 'snoozed'
    case 'unacknowledge':
      return state === 'acknowledged'
    case 'snooze':
    case 'resolve':
      return state !== 'resolved'
    case 'unsnooze':
      return state === 'snoozed'
  }
}
