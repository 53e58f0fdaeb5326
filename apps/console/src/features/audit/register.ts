import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const auditDialogs = {
  audit: () => import('./AuditDialog.tsx').then((file) => file.AuditDialog),
} satisfies DialogLoaders
