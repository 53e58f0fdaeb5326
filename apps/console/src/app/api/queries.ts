import { listClients } from '@muster/contract/calls/clients'
import { type DashInfo, getDashInfo } from '@muster/contract/calls/system'
import { getMe, type Me } from '@muster/contract/calls/users'
import type { Permission } from '@muster/contract/permissions'
import { TREE_RELOAD_DELAY_MS } from '@muster/rules/text/layout'
import { actsOnMachine, SERVER_MACHINE_REASON } from '@muster/rules/agents/server-machine'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { call, keepQuiet, query } from './api.ts'
import { queryKey } from './query-key.ts'

/** Queries that many screens share. */
export const dashInfoQuery = query(getDashInfo, {})
export const meQuery = query(getMe, {})

/** Clients with their sites. Requested 150 ms later, so that a burst of changes costs one request. */
export const clientsQuery = queryOptions({
  queryKey: queryKey(listClients, { query: {} }),
  queryFn: async ({ signal }) => {
    const start = keepQuiet()
    await pause(TREE_RELOAD_DELAY_MS, signal)
    return start(() => call(listClients, { query: {} }, { signal }))
  },
})

/** Preferences and feature flags; undefined until loaded. */
export const useDashInfo = (): DashInfo | undefined => useQuery(dashInfoQuery).data

export const useMe = (): Me | undefined => useQuery(meQuery).data

/** Whether the user's role allows it; false until that is known, so that nothing appears and vanishes. */
export function useMay(permission: Permission): boolean {
  const me = useMe()
  const isReadOnly = useContext(ReadOnlyMachine)
  return me !== undefined && may(me, permission) && !(isReadOnly && actsOnMachine(permission))
}

/** Around the screens of a machine on which the user may only look: see useServerMachineReason. */
const ReadOnlyMachine = createContext(false)
export const ReadOnlyMachineProvider = ReadOnlyMachine.Provider

/** Why the user may not act on this machine: only superusers may on that of the server. */
export function useServerMachineReason(agent: { server_machine: boolean } | undefined): string | undefined {
  const me = useMe()
  return agent?.server_machine === true && me?.is_superuser !== true ? SERVER_MACHINE_REASON : undefined
}

export const may = (me: Me, permission: Permission): boolean =>
  me.is_superuser || me.permissions.includes(permission)

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason instanceof Error ? signal.reason : new Error('cancelled'))
    })
  })
}
