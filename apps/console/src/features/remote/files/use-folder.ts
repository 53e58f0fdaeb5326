import { type FileEntry, ROOT_PATH } from '@muster/contract/agent/files'
import { listFolder } from '@muster/contract/api/files'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../../app/api/api.ts'
import { queryKey } from '../../../app/api/query-key.ts'

/** A folder of a machine, as far as it was asked for. */
export function useFolder(given: { agentId: string; path: string; search: string; enabled: boolean }) {
  const { agentId, path, search, enabled } = given
  const query = useInfiniteQuery({
    queryKey: queryKey(listFolder, { params: { agent_id: agentId }, query: { path, search } }),
    queryFn: ({ pageParam, signal }) =>
      call(
        listFolder,
        {
          params: { agent_id: agentId },
          query: { path, search, ...(pageParam === '' ? {} : { after: pageParam }) },
        },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    enabled,
    retry: false,
    gcTime: 0,
  })
  const { data } = query
  const entries = useMemo<FileEntry[]>(() => data?.pages.flatMap((part) => part.entries) ?? [], [data])
  const last = data?.pages.at(-1)
  return {
    query,
    entries,
    /** Without links; the first folder until the machine has answered. */
    path: last?.path ?? (path || ROOT_PATH),
    total: last?.total ?? 0,
    isWhole: last !== undefined && last.next === null,
  }
}
