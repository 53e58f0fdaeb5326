import { type AgentDetail, type AgentRow, getAgent, listAgents } from '@muster/contract/calls/agents'
import { ApiError } from '@muster/contract/client'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { quietly } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { type AgentsFrame, onAgentsFrame } from '../../app/live/live.ts'
import { ageRows, applyFrame, changesOf, nextAgeingAt, patchRows } from './machine-rows.ts'
import { onClockChange, serverNow } from '../../ui/layout/server-clock.ts'

/** New machines in a burst refetch the list at most this often. */
const REFETCH_MS = 1500
const MAX_PAUSE_MS = 60_000
const LIST = queryKey(listAgents)

/** Keeps cached machines current: live changes once a second at most, and changes by time alone. */
export function useLiveMachines(): void {
  const queryClient = useQueryClient()
  useEffect(() => {
    const follower = followMachines(queryClient)
    return () => follower[Symbol.dispose]()
  }, [queryClient])
}

function followMachines(queryClient: QueryClient): Disposable {
  let refetchTimer: ReturnType<typeof setTimeout> | undefined
  let ageTimer: ReturnType<typeof setTimeout> | undefined
  let refetchedAtMs = 0

  const refetchLists = () => {
    const waitMs = refetchedAtMs + REFETCH_MS - performance.now()
    refetchTimer ??= setTimeout(
      () => {
        refetchTimer = undefined
        refetchedAtMs = performance.now()
        quietly(() => void queryClient.invalidateQueries({ queryKey: LIST }))
      },
      Math.max(0, waitMs),
    )
  }
  const age = () => {
    clearTimeout(ageTimer)
    const nowMs = serverNow()
    let nextMs = nowMs + MAX_PAUSE_MS
    updateLists(queryClient, (rows) => {
      const aged = ageRows(rows, nowMs)
      nextMs = Math.min(nextMs, nextAgeingAt(aged, nowMs) ?? nextMs)
      return aged
    })
    ageTimer = setTimeout(age, Math.max(250, nextMs - nowMs))
  }
  // Rows that became overdue by a wrong clock stay so.
  const stopClock = onClockChange(refetchLists)
  const stopFrames = onAgentsFrame((frame) => {
    updateLists(queryClient, (rows) => applyFrame(rows, frame))
    updateDetails(queryClient, frame)
    if (frame.all === true || frame.added.length > 0) refetchLists()
    // A connection change moves the time of the next status change.
    if (frame.changed.some((change) => 'connected' in change)) age()
  })
  const stopCache = queryClient.getQueryCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'success' && event.query.queryKey[0] === LIST[0]) {
      if (event.action.manual !== true) age()
    }
  })
  age()
  return {
    [Symbol.dispose]() {
      stopClock()
      stopFrames()
      stopCache()
      clearTimeout(refetchTimer)
      clearTimeout(ageTimer)
    },
  }
}

/** Shows the result of the user's own action without waiting for the server's event. */
export function patchMachine(
  queryClient: QueryClient,
  change: Partial<AgentRow> & { agent_id: string },
): void {
  updateLists(queryClient, (rows) => patchRows(rows, [change]))
}

/** Updates the lists on screen; unused lists are refetched on next use. */
function updateLists(
  queryClient: QueryClient,
  change: (rows: readonly AgentRow[]) => readonly AgentRow[],
): void {
  for (const query of queryClient.getQueryCache().findAll({ queryKey: LIST })) {
    const rows = query.state.data
    if (!isMachineList(rows)) continue
    const next = change(rows)
    if (next === rows) continue
    if (query.isActive()) {
      // The time of the last fetch stays: this is no fetch.
      queryClient.setQueryData(query.queryKey, next, { updatedAt: query.state.dataUpdatedAt })
    } else if (!query.state.isInvalidated) query.invalidate()
  }
}

function updateDetails(queryClient: QueryClient, frame: AgentsFrame): void {
  const changes = new Map(changesOf(frame).map((change) => [change.agent_id, change]))
  for (const query of queryClient.getQueryCache().findAll({ queryKey: queryKey(getAgent) })) {
    // The state of this query is the machine's detail, loaded or not.
    const detail = query.state.data as AgentDetail | undefined
    if (detail === undefined) continue
    if (frame.removed.includes(detail.agent_id)) {
      // Sets the error that a request would return.
      const error = new ApiError('This machine does not exist any more.', { status: 404, code: 'not_found' })
      query.setState({ status: 'error', error })
      continue
    }
    const change = changes.get(detail.agent_id)
    if (change === undefined && frame.all !== true) continue
    if (change !== undefined && query.isActive()) {
      const { client: _client, site: _site, ...fields } = change
      queryClient.setQueryData(query.queryKey, { ...detail, ...fields })
    }
    quietly(() => void queryClient.invalidateQueries({ queryKey: query.queryKey }))
  }
}

function isMachineList(data: unknown): data is readonly AgentRow[] {
  // Lists for choosing hold names only, no status.
  return Array.isArray(data) && data.length > 0 && 'status' in Object(data[0])
}
