import type { AgentDetail } from '@muster/contract/api/agents'
import { getSoftware, refreshSoftware } from '@muster/contract/api/software'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { useMay } from '../../app/api/queries.ts'
import { queryKey } from '../../app/api/query-key.ts'
import type { Refresh } from '../../ui/inputs/RefreshButton.tsx'

/** Has a machine list its software anew. */
export function useRefreshSoftware({
  agent_id,
  hostname,
  connected,
}: Pick<AgentDetail, 'agent_id' | 'hostname' | 'connected'>): Refresh {
  const queryClient = useQueryClient()
  const may = useMay('can_manage_software')
  const params = { agent_id }
  const { mutate, isPending } = useMutation({
    mutationFn: () => call(refreshSoftware, { params }),
    onSuccess: (software) => {
      queryClient.setQueryData(queryKey(getSoftware, { params }), software)
      notifyDone(`${hostname} has listed its software anew.`)
    },
  })
  return {
    run: () => mutate(),
    busy: isPending,
    reason: !may
      ? 'Your role does not allow you to ask for it.'
      : connected
        ? undefined
        : `${hostname} is not connected.`,
  }
}
