import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'

interface Page<Row> {
  page: number
  page_size: number
  total: number
  results: readonly Row[]
}

/** A long list, a page at a time. `read` fetches one; the first page is 1. `more` is absent when all are loaded. */
export function usePages<Row>(
  key: QueryKey,
  read: (page: number, signal: AbortSignal) => Promise<Page<Row>>,
  { enabled = true } = {},
) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: [...key, 'all pages'],
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: 1,
    getNextPageParam: ({ page, page_size, total }) => (page * page_size < total ? page + 1 : undefined),
    placeholderData: keepPreviousData,
    enabled,
  })
  const rows = useMemo(() => data?.pages.flatMap(({ results }) => results), [data])
  return {
    rows,
    total: data?.pages.at(-1)?.total,
    error,
    retry: () => void refetch(),
    more: hasNextPage ? { load: () => void fetchNextPage(), busy: isFetchingNextPage } : undefined,
  }
}
