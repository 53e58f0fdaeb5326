import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const userDialogs = {
  preferences: () => import('./PreferencesDialog.tsx').then((file) => file.PreferencesDialog),
  'reset-password': () => import('./ResetPasswordDialog.tsx').then((file) => file.ResetPasswordDialog),
  'reset-2fa': () => import('./ResetPasswordDialog.tsx').then((file) => file.ResetTotpDialog),
  sessions: () => import('./sessions/SessionsDialog.tsx').then((file) => file.SessionsDialog),
  users: () => import('./accounts/UsersDialog.tsx').then((file) => file.UsersDialog),
  user: () => import('./accounts/UserDialog.tsx').then((file) => file.UserDialog),
  roles: () => import('./roles/RolesDialog.tsx').then((file) => file.RolesDialog),
  role: () => import('./roles/RoleDialog.tsx').then((file) => file.RoleDialog),
} satisfies DialogLoaders
