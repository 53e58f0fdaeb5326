import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const checkDialogs = {
  'add-check': () => import('./CheckDialogs.tsx').then((file) => file.AddCheckDialog),
  'edit-check': () => import('./CheckDialogs.tsx').then((file) => file.EditCheckDialog),
  'remove-check': () => import('./CheckDialogs.tsx').then((file) => file.RemoveCheckDialog),
  'check-history': () => import('./CheckHistoryDialog.tsx').then((file) => file.CheckHistoryDialog),
} satisfies DialogLoaders
