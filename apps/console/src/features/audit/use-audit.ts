import { type AuditEntry, listAudit } from '@muster/contract/api/audit'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query } from '../../app/api/api.ts'
import { type AuditRequest, type AuditView, isNewestFirst, toAuditRequest } from './audit-view.ts'

/** New entries are counted up to here. */
export const COUNTED = 25

/**
 * A page of the log that stays as it is while somebody reads it, and how many entries have come since. The page has
 * a cache key of its own, which no event makes stale; the few newest entries are what the events fetch again.
 */
export function useAudit(view: AuditView, agentId: string | undefined, allowed: boolean) {
  const request = toAuditRequest(view, agentId)
  const page = useQuery({ ...pageQuery(request), enabled: allowed })
  const { pagination: _pagination, ...filter } = request
  const newest = useQuery({
    ...query(listAudit, { body: { ...filter, pagination: { rowsPerPage: COUNTED } } }),
    enabled: page.data !== undefined,
    meta: { quiet: true },
  })
  const newestId = page.isPlaceholderData ? undefined : highestId(page.data?.audit_logs)
  const seen = useSeen(JSON.stringify(filter), {
    onTop: isNewestFirst(view) ? newestId : undefined,
    known: highestId(newest.data?.audit_logs),
  })
  return { page, newEntries: countNewer(newest.data?.audit_logs ?? [], seen) }
}

/** The highest id that was there when the filter was asked, or later when the top of its list was on screen. */
function useSeen(filter: string, ids: { onTop: number | undefined; known: number | undefined }) {
  const [seen, setSeen] = useState<{ filter: string; id: number }>()
  const isKnown = seen?.filter === filter
  const id = ids.onTop ?? (isKnown ? seen.id : ids.known)
  // Kept for when the page turns or the order changes; as React has it, while drawing.
  if (id !== undefined && !(isKnown && seen.id === id)) setSeen({ filter, id })
  return id
}

function countNewer(entries: readonly Pick<AuditEntry, 'id'>[], seen: number | undefined): number {
  return seen === undefined ? 0 : entries.filter(({ id }) => id > seen).length
}

/** 0 for an empty list: whatever comes is new. */
function highestId(entries: readonly AuditEntry[] | undefined): number | undefined {
  return entries === undefined ? undefined : Math.max(0, ...entries.map(({ id }) => id))
}

function pageQuery(body: AuditRequest) {
  return queryOptions({
    queryKey: ['audit page', body],
    queryFn: ({ signal }) => call(listAudit, { body }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
  })
}
