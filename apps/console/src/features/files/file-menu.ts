import type { FileEntry } from '@muster/contract/agent/files'
import {
  IconArrowRight,
  IconDownload,
  IconEdit,
  IconFolderOpen,
  IconShieldLock,
  IconTrash,
} from '@tabler/icons-react'
import { divider, type MenuEntry } from '../../ui/menu-entry.ts'
import type { OpenDialog } from './FileDialogs.tsx'
import { leadsTo } from './file-rows.ts'
import { whyNoDownload } from './start-download.ts'

export interface FileActions {
  open: (entry: FileEntry) => void
  download: (entry: FileEntry) => void
  ask: (dialog: OpenDialog) => void
}

/** What can be done with something in a folder. */
export function fileMenu(entry: FileEntry, { open, download, ask }: FileActions): MenuEntry[] {
  const isFolder = leadsTo(entry) === 'folder'
  const first: MenuEntry = isFolder
    ? { id: 'open', label: 'Open', icon: IconFolderOpen, shortcut: 'Enter', run: () => open(entry) }
    : {
        id: 'edit',
        label: 'Look at it, edit',
        icon: IconEdit,
        shortcut: 'Enter',
        disabledReason: whyNoDownload(entry),
        run: () => ask({ what: 'edit', entry }),
      }
  return [
    first,
    {
      id: 'download',
      label: isFolder ? 'Download as archive' : 'Download',
      icon: IconDownload,
      disabledReason: whyNoDownload(entry),
      run: () => download(entry),
    },
    divider('change'),
    {
      id: 'move',
      label: 'Rename or move',
      icon: IconArrowRight,
      run: () => ask({ what: 'move', entry }),
    },
    {
      id: 'rights',
      label: 'Rights',
      icon: IconShieldLock,
      disabledReason: entry.kind === 'link' ? 'A link has no rights of its own.' : undefined,
      run: () => ask({ what: 'rights', entry }),
    },
    {
      id: 'delete',
      label: 'Delete',
      icon: IconTrash,
      danger: true,
      run: () => ask({ what: 'delete', entry }),
    },
  ]
}
