import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const installerDialogs = {
  'install-agent': () => import('./InstallAgentDialog.tsx').then((file) => file.InstallAgentDialog),
  deployments: () => import('./deployments/DeploymentsDialog.tsx').then((file) => file.DeploymentsDialog),
  deployment: () => import('./deployments/DeploymentDialog.tsx').then((file) => file.DeploymentDialog),
} satisfies DialogLoaders
