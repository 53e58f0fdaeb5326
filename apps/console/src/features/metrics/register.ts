import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const metricDialogs = {
  compare: () => import('./CompareDialog.tsx').then((file) => file.CompareDialog),
} satisfies DialogLoaders
