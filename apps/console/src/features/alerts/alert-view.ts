import {
  AlertType,
  type AlertPart,
  type countAlerts,
  type listAlertCauses,
  type listAlerts,
} from '@muster/contract/api/alerts'
import { Severity } from '@muster/contract/fields'
import type { Input } from '@muster/contract/endpoint'
import type { AlertsSearch } from '../../app/search.ts'

/** The filter of alerts. An empty list filters nothing. */
export interface AlertView {
  clients: readonly number[]
  severities: readonly Severity[]
  types: readonly AlertType[]
  state: AlertPart
  /** Days back for resolved alerts; 0 = all. */
  days: number
  search: string
}

export const START_VIEW: AlertView = {
  clients: [],
  severities: [],
  types: [],
  state: 'open',
  days: 30,
  search: '',
}

export type AlertsRequest = NonNullable<Input<typeof listAlerts>['body']>
export type CountsRequest = NonNullable<Input<typeof countAlerts>['body']>
export type CausesRequest = NonNullable<Input<typeof listAlertCauses>['body']>

/** Resolved alerts have no causes: only a list shows them. */
export const includesResolved = ({ state }: AlertView): boolean => state === 'resolved' || state === 'all'

export function toAlertsRequest(view: AlertView, agentId: string | undefined, size: number): AlertsRequest {
  return {
    ...toFilter(view, agentId),
    ...(includesResolved(view) ? toTimeFilter(view) : {}),
    stateFilter: view.state,
    page: 1,
    page_size: size,
  }
}

export const toCausesRequest = (view: AlertView): CausesRequest => ({
  ...toFilter(view),
  stateFilter: view.state,
})

/** Counts all states, so that each shows what its list would. */
export const toCountsRequest = (view: AlertView, agentId: string | undefined): CountsRequest => ({
  ...toFilter(view, agentId),
  ...toTimeFilter(view),
})

const toTimeFilter = ({ days }: AlertView) => (days > 0 ? { timeFilter: days } : {})

function toFilter(view: AlertView, agentId?: string) {
  return {
    ...(agentId === undefined ? {} : { agentFilter: [agentId] }),
    ...(view.clients.length === 0 ? {} : { clientFilter: [...view.clients] }),
    ...(view.severities.length === 0 ? {} : { severityFilter: [...view.severities] }),
    ...(view.types.length === 0 ? {} : { typeFilter: [...view.types] }),
    ...(view.search === '' ? {} : { search: view.search }),
  }
}

/** Whether the filter hides any alert of its state. */
export const isNarrowed = ({ clients, severities, types, search }: AlertView): boolean =>
  clients.length > 0 || severities.length > 0 || types.length > 0 || search !== ''

/** The view as an address: `?severity=error,warning&state=resolved&days=7&search=disk`. */
export function writeAlertView(view: AlertView): Required<Omit<AlertsSearch, 'view' | 'group' | 'alert'>> {
  const list = (values: readonly (string | number)[]) => (values.length === 0 ? undefined : values.join(','))
  return {
    clients: list(view.clients),
    severity: list(view.severities),
    type: list(view.types),
    state: view.state === 'open' ? undefined : view.state,
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
    state: address.state ?? 'open',
    days: Number.isInteger(days) && days >= 0 && days <= MAX_DAYS ? days : START_VIEW.days,
    search: address.search ?? '',
  }
}

const MAX_DAYS = 3650
