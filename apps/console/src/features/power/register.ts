import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const powerDialogs = {
  reboot: () => import('./PowerDialogs.tsx').then((file) => file.RebootDialog),
  'reboot-later': () => import('./PowerDialogs.tsx').then((file) => file.RebootLaterDialog),
  'pending-actions': () =>
    import('./pending-actions/PendingActionsDialog.tsx').then((file) => file.PendingActionsDialog),
  'sign-out': () => import('./PowerDialogs.tsx').then((file) => file.SignOutDialog),
  'shut-down': () => import('./PowerDialogs.tsx').then((file) => file.ShutDownDialog),
} satisfies DialogLoaders
