import {
  endMaintenanceWindow,
  listMaintenanceWindows,
  type MaintenanceWindow,
} from '@muster/contract/api/maintenance'
import { IconPencil, IconPlayerStop, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call, queryKey } from '../../app/api/api.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { type MenuEntry, divider } from '../../ui/dialog/menu-entry.ts'
import { describeTargets } from './window-state.ts'

const NOT_ALLOWED = 'Your role does not allow it.'

/** What can be done with a window of the list. */
export function useWindowActions(onRemove: (window: MaintenanceWindow) => void) {
  const mayEdit = useMay('can_edit_agent')
  const { open } = useDialog()
  const queryClient = useQueryClient()
  const end = useMutation({
    mutationFn: ({ id }: MaintenanceWindow) => call(endMaintenanceWindow, { params: { id } }),
    onSuccess: (window) => {
      notifyDone(`Maintenance of ${describeTargets(window)} has ended.`)
      void queryClient.invalidateQueries({ queryKey: queryKey(listMaintenanceWindows) })
    },
  })
  const unlessAllowed = mayEdit ? undefined : NOT_ALLOWED
  const menuOf = (window: MaintenanceWindow): MenuEntry[] => [
    {
      id: 'edit',
      label: 'Edit',
      icon: IconPencil,
      shortcut: 'Enter',
      disabledReason: unlessAllowed,
      run: () => open('edit-maintenance', window.id),
    },
    {
      id: 'end',
      label: 'End now',
      icon: IconPlayerStop,
      note: window.active && window.next_start !== null ? 'It begins again at its next time.' : undefined,
      disabledReason: unlessAllowed ?? (window.active ? undefined : 'It is not on right now.'),
      run: () => end.mutate(window),
    },
    divider('end'),
    {
      id: 'delete',
      label: 'Delete',
      icon: IconTrash,
      danger: true,
      disabledReason: unlessAllowed,
      run: () => onRemove(window),
    },
  ]
  return { mayEdit, menuOf, edit: ({ id }: MaintenanceWindow) => mayEdit && open('edit-maintenance', id) }
}
