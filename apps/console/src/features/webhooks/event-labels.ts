import { listWebhooks, type WebhookEvent } from '@muster/contract/api/webhooks'
import { query } from '../../app/api/api.ts'

export const webhooksQuery = query(listWebhooks, {})

export const EVENT_LABELS: Record<WebhookEvent, string> = {
  'alert.opened': 'Alert opened',
  'alert.acknowledged': 'Alert acknowledged',
  'alert.resolved': 'Alert resolved',
  'machine.online': 'Machine online again',
  'machine.offline': 'Machine offline',
  'machine.enrolled': 'Machine enrolled',
  'machine.removed': 'Machine removed',
  'run.finished': 'Run finished',
  'job.finished': 'Job finished',
}
