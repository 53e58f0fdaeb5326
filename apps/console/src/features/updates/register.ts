import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const updateDialogs = {
  'update-agents': () => import('./UpdateAgentsDialog.tsx').then((file) => file.UpdateAgentsDialog),
  'agent-updates': () => import('./UpdateSettingsDialog.tsx').then((file) => file.UpdateSettingsDialog),
} satisfies DialogLoaders
