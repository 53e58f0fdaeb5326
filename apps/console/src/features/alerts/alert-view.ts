import { AlertType, type listAlerts } from '@muster/contract/api/alerts'
import { Severity } from '@muster/contract/fields'
import type { Input } from '@muster/contract/endpoint'
import type { AlertsSearch } from '../../app/search.ts'

export const ALSO = ['snoozed', 'held', 'resolved'] as const
export type Also = (typeof ALSO)[number]

/** The filter of alerts. An empty list filters nothing; open and acknowledged alerts are always shown. */
export interface AlertView {
  clients: readonly number[]
  severities: readonly Severity[]
  types: readonly AlertType[]
  also: readonly Also[]
  /** Days back for resolved alerts; 0 = all. */
  days: number
  search: string
}

export const START_VIEW: AlertView = {
  clients: [],
  severities: [],
  types: [],
  also: [],
  days: 30,
  search: '',
}

export type AlertsRequest = NonNullable<Input<typeof listAlerts>['body']>

export function toAlertsRequest(view: AlertView, agentId: string | undefined, size: number): AlertsRequest {
  const has = (also: Also) => view.also.includes(also)
  return {
    ...(agentId === undefined ? {} : { agentFilter: [agentId] }),
    ...(view.clients.length === 0 ? {} : { clientFilter: [...view.clients] }),
    ...(view.severities.length === 0 ? {} : { severityFilter: [...view.severities] }),
    ...(view.types.length === 0 ? {} : { typeFilter: [...view.types] }),
    ...(has('snoozed') ? { snoozedFilter: true } : {}),
    ...(has('held') ? { heldFilter: true } : {}),
    ...(has('resolved') ? { resolvedFilter: true } : {}),
    ...(has('resolved') && view.days > 0 ? { timeFilter: view.days } : {}),
    ...(view.search === '' ? {} : { search: view.search }),
    page: 1,
    page_size: size,
  }
}

/** Whether the filter hides any open alert. */
export const isNarrowed = ({ clients, severities, types, search }: AlertView): boolean =>
  clients.length > 0 || severities.length > 0 || types.length > 0 || search !== ''

/** The view as an address: `?severity=error,warning&also=resolved&days=7&search=disk`. */
export function writeAlertView(view: AlertView): Required<AlertsSearch> {
  const list = (values: readonly (string | number)[]) => (values.length === 0 ? undefined : values.join(','))
  return {
    clients: list(view.clients),
    severity: list(view.severities),
    type: list(view.types),
    also: list(view.also),
    days: view.days === START_VIEW.days ? undefined : `${view.days}`,
    search: view.search === '' ? undefined : view.search,
  }
}

/** The view of an address; unknown words count as absent. */
export function readAlertView(address: AlertsSearch): AlertView {
  const wordsOf = (text: string | undefined) => (text ?? '').split(',')
  const pick = <Value extends string>(known: readonly Value[], text: string | undefined) =>
    known.filter((value) => wordsOf(text).includes(value))
  const days = Number(address.days ?? START_VIEW.days)
  return {
    clients: wordsOf(address.clients)
      .map(Number)
      .filter((id) => Number.isSafeInteger(id) && id > 0),
    severities: pick(Severity.options, address.severity),
    types: pick(AlertType.options, address.type),
    also: pick(ALSO, address.also),
    days: Number.isInteger(days) && days >= 0 && days <= MAX_DAYS ? days : START_VIEW.days,
    search: address.search ?? '',
  }
}

const MAX_DAYS = 3650
