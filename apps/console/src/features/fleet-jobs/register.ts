import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const fleetJobDialogs = {
  'new-job': () => import('./NewJobDialog.tsx').then((file) => file.NewJobDialog),
  'edit-job': () => import('./EditJobDialog.tsx').then((file) => file.EditJobDialog),
} satisfies DialogLoaders
