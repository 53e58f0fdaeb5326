import { IconFilePlus, IconFolderPlus, IconTextSize, IconTrash } from '@tabler/icons-react'
import { divider, type MenuEntry } from '../../../ui/dialog/menu-entry.ts'
import type { OpenDialog } from './registry-dialog.ts'

const ROOT_STAYS = 'Windows keeps the topmost keys as they are.'

const isRootKey = (path: string) => !path.includes('\\')

/** What can be done with a key, as regedit has it. `whyNot`: why nothing can be changed now. */
export function keyMenu(
  path: string,
  whyNot: string | undefined,
  ask: (dialog: OpenDialog) => void,
): MenuEntry[] {
  const whyNotBelow = whyNot ?? (path === '' ? 'Choose a key first.' : undefined)
  const whyNotKey = whyNotBelow ?? (isRootKey(path) ? ROOT_STAYS : undefined)
  return [
    {
      id: 'new-key',
      label: 'New key',
      icon: IconFolderPlus,
      disabledReason: whyNotBelow,
      run: () => ask({ what: 'new-key' }),
    },
    {
      id: 'new-value',
      label: 'New value',
      icon: IconFilePlus,
      disabledReason: whyNotBelow,
      run: () => ask({ what: 'new-value' }),
    },
    divider('change'),
    {
      id: 'rename',
      label: 'Rename key',
      icon: IconTextSize,
      shortcut: 'F2',
      disabledReason: whyNotKey,
      run: () => ask({ what: 'rename-key' }),
    },
    {
      id: 'delete',
      label: 'Delete key',
      icon: IconTrash,
      shortcut: 'Del',
      danger: true,
      disabledReason: whyNotKey,
      run: () => ask({ what: 'delete-key' }),
    },
  ]
}
