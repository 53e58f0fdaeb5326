import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const maintenanceDialogs = {
  maintenance: () => import('./WindowDialogs.tsx').then((file) => file.AddMaintenanceDialog),
  'edit-maintenance': () => import('./WindowDialogs.tsx').then((file) => file.EditMaintenanceDialog),
  'open-maintenance': () => import('./OpenMaintenanceDialog.tsx').then((file) => file.OpenMaintenanceDialog),
} satisfies DialogLoaders
