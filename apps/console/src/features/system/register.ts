import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const systemDialogs = {
  shortcuts: () => import('./ShortcutsDialog.tsx').then((file) => file.ShortcutsDialog),
} satisfies DialogLoaders
