import { findSoftware, MOST_TITLES, type SoftwareTitle } from '@muster/contract/api/software'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'

interface Titles {
  rows: readonly SoftwareTitle[] | undefined
  total: number | undefined
  error: Error | null
  retry: () => void
  /** Absent when all are there. */
  more: { load: () => void; busy: boolean } | undefined
}

/** The packages of the fleet, a hundred at a time. */
export function useTitles(view: { search: string; sort: 'name' | '-name' }, enabled: boolean): Titles {
  const input = { query: { ...view, page_size: MOST_TITLES } }
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: [...queryKey(findSoftware, input), 'all pages'],
    queryFn: ({ pageParam, signal }) =>
      call(findSoftware, { query: { ...input.query, page: pageParam } }, { signal }),
    initialPageParam: 1,
    getNextPageParam: ({ page, page_size, total }) => (page * page_size < total ? page + 1 : undefined),
    placeholderData: keepPreviousData,
    enabled,
  })
  return {
    rows: data?.pages.flatMap(({ results }) => results),
    total: data?.pages.at(-1)?.total,
    error,
    retry: () => void refetch(),
    more: hasNextPage ? { load: () => void fetchNextPage(), busy: isFetchingNextPage } : undefined,
  }
}
