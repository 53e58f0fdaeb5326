import type { FileEntry } from '@muster/contract/agent/files'
import { DeleteFileDialog } from './DeleteFileDialog.tsx'
import { EditTextDialog } from './EditTextDialog.tsx'
import { ImageDialog } from './ImageDialog.tsx'
import { MoveFileDialog } from './MoveFileDialog.tsx'
import { NewFolderDialog } from './NewFolderDialog.tsx'
import { RightsDialog } from './RightsDialog.tsx'
import type { FileDialogProps } from './file-dialog.ts'

/** Which dialog is open. */
export type OpenDialog =
  | { what: 'new-folder' }
  | { what: 'move' | 'delete' | 'rights' | 'edit' | 'image'; entry: FileEntry }

const DIALOGS = {
  move: MoveFileDialog,
  delete: DeleteFileDialog,
  rights: RightsDialog,
  edit: EditTextDialog,
  image: ImageDialog,
} as const

export function FileDialogs({ open, ...rest }: { open: OpenDialog } & Omit<FileDialogProps, 'entry'>) {
  if (open.what === 'new-folder') return <NewFolderDialog {...rest} />
  const Dialog = DIALOGS[open.what]
  return <Dialog {...rest} entry={open.entry} />
}
