import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const urlActionDialogs = {
  'url-actions': () => import('./UrlActionsDialog.tsx').then((file) => file.UrlActionsDialog),
  'url-action': () => import('./UrlActionDialog.tsx').then((file) => file.UrlActionDialog),
} satisfies DialogLoaders
