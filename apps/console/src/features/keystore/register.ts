import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const keyStoreDialogs = {
  keystore: () => import('./KeyStoreDialog.tsx').then((file) => file.KeyStoreDialog),
  key: () => import('./KeyDialog.tsx').then((file) => file.KeyDialog),
} satisfies DialogLoaders
