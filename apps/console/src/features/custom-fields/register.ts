import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const customFieldDialogs = {
  'custom-fields': () => import('./FieldsDialog.tsx').then((file) => file.FieldsDialog),
  'custom-field': () => import('./FieldDialog.tsx').then((file) => file.FieldDialog),
} satisfies DialogLoaders
