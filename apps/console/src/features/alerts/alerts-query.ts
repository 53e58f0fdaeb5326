import { getAlert, listAlerts } from '@muster/contract/api/alerts'
import { keepPreviousData, type QueryClient } from '@tanstack/react-query'
import { query } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import type { AlertsRequest } from './alert-view.ts'

/** The alerts in the bell's menu. */
export const TOP = 10
export const topAlertsQuery = query(listAlerts, { body: { top: TOP } })

/** A list that stays on screen until the next one has loaded. */
export const alertsQuery = (body: AlertsRequest) => ({
  ...query(listAlerts, { body }),
  placeholderData: keepPreviousData,
})

export const alertQuery = (id: number) => query(getAlert, { params: { id } })

/** After the user's own action; changes by others arrive live. */
export async function refreshAlerts(queryClient: QueryClient): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: queryKey(listAlerts) }),
    queryClient.invalidateQueries({ queryKey: queryKey(getAlert) }),
  ])
}
