import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const noteDialogs = {
  'add-note': () => import('./NoteDialog.tsx').then((file) => file.AddNoteDialog),
  'edit-note': () => import('./NoteDialog.tsx').then((file) => file.EditNoteDialog),
} satisfies DialogLoaders
