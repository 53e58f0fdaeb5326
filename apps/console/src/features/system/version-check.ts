import { getVersion } from '@muster/contract/api/system'
import { VERSION_CHECK_MS } from '@muster/rules/text/layout'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'

/** Local-storage key of the version that this browser saw first. */
export const VERSION_KEY = 'rmmver'

/**
 * Whether the server serves another version of the console than the one that runs here. Asked every four minutes;
 * after a reconnect everything cached is asked again, so this too.
 */
export function useRefreshNeeded(): boolean {
  const { data } = useQuery({
    queryKey: [...queryKey(getVersion), 'refresh needed'],
    queryFn: async ({ signal }) => isOtherVersion(await call(getVersion, {}, { signal })),
    refetchInterval: VERSION_CHECK_MS,
  })
  return data === true
}

/** Keeps the first version seen; true for any other. */
export function isOtherVersion(version: string): boolean {
  const seen = localStorage.getItem(VERSION_KEY)
  if (seen === null) localStorage.setItem(VERSION_KEY, version)
  return seen !== null && seen !== version
}

/** Loads the console that the server serves now. */
export function reloadConsole(): void {
  localStorage.removeItem(VERSION_KEY)
  location.reload()
}
