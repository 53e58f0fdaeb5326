import { editAgent, setMaintenance } from '@muster/contract/api/agents'
import { listClients } from '@muster/contract/api/clients'
import {
  endMaintenanceWindow,
  listMaintenanceWindows,
  listOpenMaintenance,
  type OpenMaintenance,
} from '@muster/contract/api/maintenance'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call, query } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { dashInfoQuery, useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { describeTargets, writeTarget } from './window-state.ts'

/** Maintenance without end time that the user may see. */
export const openMaintenanceQuery = query(listOpenMaintenance, {})

export const keyOf = ({ window_id: windowId, targets: [first] }: OpenMaintenance): string =>
  windowId === null && first !== undefined ? writeTarget(first) : `window-${windowId}`

/** Actions on maintenance without an end time; undefined if the role does not allow them. */
export function useOpenMaintenanceActions() {
  const mayEdit = useMay('can_edit_agent')
  const { open } = useDialog()
  const queryClient = useQueryClient()
  const end = useMutation({
    mutationFn: endMaintenance,
    onSuccess: (_, entry) => {
      notifyDone(`Maintenance of ${describeTargets(entry)} ended.`)
      for (const endpoint of [listOpenMaintenance, listMaintenanceWindows, listClients]) {
        void queryClient.invalidateQueries({ queryKey: queryKey(endpoint) })
      }
      void queryClient.invalidateQueries({ queryKey: dashInfoQuery.queryKey })
    },
  })
  if (!mayEdit) return undefined
  return {
    end: end.mutate,
    isEnding: end.isPending,
    planEnd: (entry: OpenMaintenance) => {
      if (entry.window_id === null) open('maintenance', entry.targets.map(writeTarget).join('.'))
      else open('edit-maintenance', entry.window_id)
    },
  }
}

async function endMaintenance({ window_id: windowId, targets }: OpenMaintenance): Promise<void> {
  if (windowId !== null) {
    await call(endMaintenanceWindow, { params: { id: windowId } })
    return
  }
  for (const { type, id } of targets) {
    if (type === 'agent') {
      await call(editAgent, { params: { agent_id: `${id}` }, body: { maintenance_mode: false } })
    } else {
      const body = { type: type === 'client' ? 'Client' : 'Site', id: Number(id), action: false } as const
      await call(setMaintenance, { body })
    }
  }
}
