import { countAlerts, getAlert, listAlertCauses, listAlerts } from '@muster/contract/calls/alerts'
import { keepPreviousData, type QueryClient } from '@tanstack/react-query'
import { query } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import type { AlertsRequest, CausesRequest, CountsRequest } from './alert-view.ts'

/** The alerts in the bell's menu. */
export const TOP = 10
export const topAlertsQuery = query(listAlerts, { body: { top: TOP } })

/** A list that stays on screen until the next one has loaded. */
export const alertsQuery = (body: AlertsRequest) => ({
  ...query(listAlerts, { body }),
  placeholderData: keepPreviousData,
})

export const causesQuery = (body: CausesRequest) => ({
  ...query(listAlertCauses, { body }),
  placeholderData: keepPreviousData,
})

export const countsQuery = (body: CountsRequest) => ({
  ...query(countAlerts, { body }),
  placeholderData: keepPreviousData,
})

/** The alerts of a cause. Those of another cause never stand in for them. */
export const ofCauseQuery = (body: CausesRequest, cause: string, size: number) =>
  query(listAlerts, { body: { ...body, cause, page: 1, page_size: size } })

export const alertQuery = (id: number) => query(getAlert, { params: { id } })

/** After the user's own action; changes by others arrive live. */
export async function refreshAlerts(queryClient: QueryClient): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: queryKey(listAlerts) }),
    queryClient.invalidateQueries({ queryKey: queryKey(listAlertCauses) }),
    queryClient.invalidateQueries({ queryKey: queryKey(countAlerts) }),
    queryClient.invalidateQueries({ queryKey: queryKey(getAlert) }),
  ])
}
