import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const webhookDialogs = {
  webhooks: () => import('./WebhooksDialog.tsx').then((file) => file.WebhooksDialog),
  webhook: () => import('./WebhookDialog.tsx').then((file) => file.WebhookDialog),
  'webhook-deliveries': () => import('./DeliveriesDialog.tsx').then((file) => file.DeliveriesDialog),
} satisfies DialogLoaders
