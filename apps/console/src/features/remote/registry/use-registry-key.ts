import { listRegistry } from '@muster/contract/api/registry'
import { useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../../../app/api/api.ts'
import { queryKey } from '../../../app/api/query-key.ts'

/** A key of a machine's registry, as far as it was loaded. */
export function useRegistryKey({
  agentId,
  path,
  enabled,
}: {
  agentId: string
  path: string
  enabled: boolean
}) {
  const params = { agent_id: agentId }
  const query = useInfiniteQuery({
    queryKey: queryKey(listRegistry, { params, query: { path } }),
    queryFn: ({ pageParam, signal }) =>
      call(listRegistry, { params, query: { path, ...pageParam } }, { signal }),
    initialPageParam: { keys_from: 0, values_from: 0 },
    // Beyond the end of one of the two lists there is no data, and no duplicates.
    getNextPageParam: ({ has_more, next_keys, next_values, key_count, value_count }) =>
      has_more ? { keys_from: next_keys ?? key_count, values_from: next_values ?? value_count } : undefined,
    enabled,
    retry: false,
  })
  const pages = query.data?.pages ?? []
  return {
    query,
    subkeys: pages.flatMap(({ subkeys }) => subkeys),
    values: pages.flatMap(({ values }) => values),
    last: pages.at(-1),
  }
}
