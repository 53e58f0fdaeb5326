import type { Client } from '@muster/contract/api/clients'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { useMay } from '../../app/api/queries.ts'
import { useTipDate } from '../../ui/layout/use-now.ts'
import { describeMaintenance, findWindowOn } from './window-state.ts'
import { windowsQuery } from './target-choices.ts'

/** Maintenance tooltip of a client or site; undefined if no window is known. */
export function useMaintenanceTip(clients: readonly Client[]) {
  const isAny = clients.some(({ maintenance_count }) => maintenance_count > 0)
  const may = useMay('can_list_agents')
  // Loads only if needed: the dashboard opens without it.
  const { data: windows } = useQuery({ ...windowsQuery, enabled: isAny && may })
  const format = useTipDate()
  const sitesOf = useMemo(
    () => new Map(clients.map(({ id, sites }) => [id, sites.map((site) => site.id)])),
    [clients],
  )
  return useCallback(
    (kind: 'All' | 'Client' | 'Site', nodeId: number, clientId: number): string | undefined => {
      if (windows === undefined || kind === 'All') return undefined
      const siteIds = kind === 'Site' ? [nodeId] : (sitesOf.get(clientId) ?? [])
      const window = findWindowOn(windows, { siteIds, clientId })
      return window === undefined ? undefined : describeMaintenance(window, format)
    },
    [windows, sitesOf, format],
  )
}
