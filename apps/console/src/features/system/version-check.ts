import { getVersion } from '@muster/contract/api/system'
import { VERSION_CHECK_MS } from '@muster/rules/text/layout'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'

/** Local-storage key of the first version that this browser saw. */
export const VERSION_KEY = 'rmmver'

/**
 * Whether the server has another version of the console than the running one. Polled every four minutes; after a reconnect
 * all queries are refetched, so this one too.
 */
export function useRefreshNeeded(): boolean {
  const { data } = useQuery({
    queryKey: [...queryKey(getVersion), 'refresh needed'],
    queryFn: async ({ signal }) => isOtherVersion(await call(getVersion, {}, { signal })),
    refetchInterval: VERSION_CHECK_MS,
  })
  return data === true
}

/** Stores the first version seen; returns true for any other. */
export function isOtherVersion(version: string): boolean {
  const seen = localStorage.getItem(VERSION_KEY)
  if (seen === null) localStorage.setItem(VERSION_KEY, version)
  return seen !== null && seen !== version
}

/** Loads the server's current console. */
export function reloadConsole(): void {
  localStorage.removeItem(VERSION_KEY)
  location.reload()
}
