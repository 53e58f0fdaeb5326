import { listAgents } from '@muster/contract/calls/agents'
import { listClients } from '@muster/contract/calls/clients'
import { getDashInfo } from '@muster/contract/calls/system'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { queryKey } from '../api/query-key.ts'

/**
 * The dashboard's two refreshes. Both reload info, machines and tree, and clear the tree selection. The forced one,
 * after deleting or restructuring, also clears the selected machine. Live updates do neither.
 */
export function useRefresh() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const reload = useCallback(
    (cleared: { node: undefined; agent?: undefined }) => {
      for (const endpoint of [getDashInfo, listClients, listAgents]) {
        void queryClient.invalidateQueries({ queryKey: queryKey(endpoint) })
      }
      return navigate({ to: '.', search: (old) => ({ ...old, ...cleared }), replace: true })
    },
    [queryClient, navigate],
  )
  return {
    refresh: useCallback(() => reload({ node: undefined }), [reload]),
    forceRefresh: useCallback(() => reload({ node: undefined, agent: undefined }), [reload]),
  }
}
