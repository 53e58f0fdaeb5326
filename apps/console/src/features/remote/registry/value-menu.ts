import { IconEdit, IconTextSize, IconTrash } from '@tabler/icons-react'
import { divider, type MenuEntry } from '../../../ui/dialog/menu-entry.ts'
import type { OpenDialog } from './registry-dialog.ts'

/** What can be done with a value, as regedit has it. `whyNot`: why nothing can be changed now. */
export function valueMenu(
  name: string,
  whyNot: string | undefined,
  ask: (dialog: OpenDialog) => void,
): MenuEntry[] {
  return [
    {
      id: 'edit',
      label: 'Edit value',
      icon: IconEdit,
      shortcut: 'Enter',
      disabledReason: whyNot,
      run: () => ask({ what: 'edit-value', name }),
    },
    {
      id: 'rename',
      label: 'Rename value',
      icon: IconTextSize,
      shortcut: 'F2',
      disabledReason: whyNot,
      run: () => ask({ what: 'rename-value', name }),
    },
    divider('change'),
    {
      id: 'delete',
      label: 'Delete value',
      icon: IconTrash,
      shortcut: 'Del',
      danger: true,
      disabledReason: whyNot,
      run: () => ask({ what: 'delete-value', name }),
    },
  ]
}
