import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const installerDialogs = {
  'install-agent': () => import('./InstallAgentDialog.tsx').then((file) => file.InstallAgentDialog),
} satisfies DialogLoaders
