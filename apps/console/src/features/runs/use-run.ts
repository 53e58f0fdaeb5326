import { type AgentHistory, cancelHistory, getHistoryOutput } from '@muster/contract/api/runs'
import { isFinal } from '@muster/rules/agents/history-state'
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, quietly } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { addOutput, NO_OUTPUT, type Output } from './output-text.ts'

export interface Run {
  history: AgentHistory
  output: Output
}

/** Polling interval until the run has ended, in case live events are missing. */
const FALLBACK_MS = 5000

/** A command or script with its output so far; live, fetching only new output. */
export function useRun(id: number) {
  const queryClient = useQueryClient()
  return useQuery(runQuery(id, queryClient))
}

function runQuery(id: number, queryClient: QueryClient) {
  const params = { id }
  // The key names the machine's run as live-invalidation.ts expects it.
  const key = queryKey(getHistoryOutput, { params, query: { after: 0 } })
  return queryOptions({
    queryKey: key,
    queryFn: async ({ signal }): Promise<Run> => {
      const before = queryClient.getQueryData<Run>(key)?.output ?? NO_OUTPUT
      const ask = () => call(getHistoryOutput, { params, query: { after: before.lastSeq } }, { signal })
      const { history, chunks } = await quietly(ask)
      return { history, output: addOutput(before, chunks) }
    },
    structuralSharing: false,
    refetchInterval: ({ state }) => (state.data && isFinal(state.data.history.state) ? false : FALLBACK_MS),
    // Events between the last fetch and this one were missed.
    staleTime: 0,
  })
}

/** Cancels a run; its state then follows the machine's report. */
export function useCancelRun(id: number) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => call(cancelHistory, { params: { id } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: runQuery(id, queryClient).queryKey }),
  })
}
