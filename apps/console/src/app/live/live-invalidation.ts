import { eventRule, type EventType } from '@muster/contract/events'

/** Changed fields of a machine that the tree shows. */
export const TREE_FIELDS = [
  'maintenance_mode',
  'checks',
  'status',
  'connected',
  'site_id',
  'client_id',
  'overdue_email_alert',
  'overdue_text_alert',
  'overdue_dashboard_alert',
] as const

export interface LiveEvent {
  type: EventType
  ids: readonly (number | string)[]
}

/** Whether one of the events makes a cache key (as `query()` makes them) stale. */
export function isStale(key: readonly unknown[], events: readonly LiveEvent[]): boolean {
  return events.some(({ type, ids }) =>
    eventRule(type).stale.some(({ endpoint, by }) => {
      if (key[0] !== endpoint) return false
      if (by === undefined || ids.length === 0) return true
      const parameter = readParameter(key[1], by)
      return parameter === undefined || ids.some((id) => `${id}` === parameter)
    }),
  )
}

function readParameter(input: unknown, name: string): string | undefined {
  if (typeof input !== 'object' || input === null || !('params' in input)) return undefined
  const { params } = input
  if (typeof params !== 'object' || params === null) return undefined
  const value: unknown = Object.entries(params).find(([key]) => key === name)?.[1]
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : undefined
}
