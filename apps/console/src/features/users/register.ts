import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const userDialogs = {
  'reset-password': () => import('./ResetPasswordDialog.tsx').then((file) => file.ResetPasswordDialog),
  'reset-2fa': () => import('./ResetPasswordDialog.tsx').then((file) => file.ResetTotpDialog),
  'recovery-codes': () => import('./sessions/RecoveryCodes.tsx').then((file) => file.RecoveryCodesDialog),
  passkeys: () => import('./passkeys/PasskeysDialog.tsx').then((file) => file.PasskeysDialog),
  sessions: () => import('./sessions/SessionsDialog.tsx').then((file) => file.SessionsDialog),
  'sign-ins': () => import('./sessions/SignInsDialog.tsx').then((file) => file.SignInsDialog),
  user: () => import('./accounts/UserDialog.tsx').then((file) => file.UserDialog),
  roles: () => import('./roles/RolesDialog.tsx').then((file) => file.RolesDialog),
  role: () => import('./roles/RoleDialog.tsx').then((file) => file.RoleDialog),
  invitations: () => import('./invitations/InvitationsDialog.tsx').then((file) => file.InvitationsDialog),
  'api-keys': () => import('./api-keys/ApiKeysDialog.tsx').then((file) => file.ApiKeysDialog),
  'api-key': () => import('./api-keys/ApiKeyDialog.tsx').then((file) => file.ApiKeyDialog),
} satisfies DialogLoaders
