import type { FileEntry } from '@muster/contract/agent/files'
import { IconDownload, IconFolderOpen } from '@tabler/icons-react'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { leadsTo } from './file-rows.ts'
import { whyNoDownload } from './start-download.ts'

export interface FileActions {
  open: (entry: FileEntry) => void
  download: (entry: FileEntry) => void
}

/** What can be done with something in a folder. */
export function fileMenu(entry: FileEntry, actions: FileActions): MenuEntry[] {
  const isFolder = leadsTo(entry) === 'folder'
  return [
    ...(isFolder
      ? [
          {
            id: 'open',
            label: 'Open',
            icon: IconFolderOpen,
            shortcut: 'Enter',
            run: () => actions.open(entry),
          },
        ]
      : []),
    {
      id: 'download',
      label: isFolder ? 'Download as archive' : 'Download',
      icon: IconDownload,
      disabledReason: whyNoDownload(entry),
      run: () => actions.download(entry),
    },
  ]
}
