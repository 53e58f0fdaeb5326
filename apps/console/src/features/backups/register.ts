import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const backupDialogs = {
  backups: () => import('./BackupsDialog.tsx').then((file) => file.BackupsDialog),
} satisfies DialogLoaders
