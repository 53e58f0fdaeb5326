import type { FileEntry } from '@muster/contract/agent/files'
import {
  IconArrowRight,
  IconDownload,
  IconEdit,
  IconFolderOpen,
  IconPhoto,
  IconShieldLock,
  IconTrash,
} from '@tabler/icons-react'
import { divider, type MenuEntry } from '../../../ui/dialog/menu-entry.ts'
import type { OpenDialog } from './FileDialogs.tsx'
import { isShownAsImage, leadsTo } from './file-rows.ts'
import { whyNoDownload } from './start-download.ts'

export interface FileActions {
  open: (entry: FileEntry) => void
  download: (entry: FileEntry) => void
  ask: (dialog: OpenDialog) => void
}

/** What can be done with something in a folder. */
export function fileMenu(entry: FileEntry, { open, download, ask }: FileActions): MenuEntry[] {
  const isFolder = leadsTo(entry) === 'folder'
  return [
    firstEntry(entry, { open, ask }),
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
      shortcut: 'F2',
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
      shortcut: 'Del',
      danger: true,
      run: () => ask({ what: 'delete', entry }),
    },
  ]
}

function firstEntry(entry: FileEntry, { open, ask }: Pick<FileActions, 'open' | 'ask'>): MenuEntry {
  if (leadsTo(entry) === 'folder')
    return { id: 'open', label: 'Open', icon: IconFolderOpen, shortcut: 'Enter', run: () => open(entry) }
  if (isShownAsImage(entry))
    return { id: 'look', label: 'Look at it', icon: IconPhoto, shortcut: 'Enter', run: () => open(entry) }
  return {
    id: 'edit',
    label: 'Look at it, edit',
    icon: IconEdit,
    shortcut: 'Enter',
    disabledReason: whyNoDownload(entry),
    run: () => ask({ what: 'edit', entry }),
  }
}
