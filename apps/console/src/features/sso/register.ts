import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const ssoDialogs = {
  'sso-providers': () => import('./ProvidersDialog.tsx').then((file) => file.ProvidersDialog),
  'sso-provider': () => import('./ProviderDialog.tsx').then((file) => file.ProviderDialog),
} satisfies DialogLoaders
