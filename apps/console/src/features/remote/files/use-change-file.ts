import type { FileChange } from '@muster/contract/agent/files'
import { changeFile, listFolder } from '@muster/contract/api/files'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../../app/api/api.ts'
import { queryKey } from '../../../app/api/query-key.ts'

/** A large folder takes its time. */
const TIMEOUT_MS = 60_000

/** Changes something among the files of a machine, and looks at them again. */
export function useChangeFile(agentId: string): (change: FileChange) => Promise<{ count: number }> {
  const queryClient = useQueryClient()
  return async (change) => {
    const params = { agent_id: agentId }
    try {
      return await call(changeFile, { params, body: change }, { timeoutMs: TIMEOUT_MS })
    } finally {
      // A folder that is read for the first time would be shown as it was before the change.
      await queryClient.cancelQueries({ queryKey: queryKey(listFolder) })
      await queryClient.invalidateQueries({ queryKey: queryKey(listFolder) })
    }
  }
}
