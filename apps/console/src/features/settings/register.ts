import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const settingsDialogs = {
  settings: () => import('./SettingsDialog.tsx').then((file) => file.SettingsDialog),
} satisfies DialogLoaders
