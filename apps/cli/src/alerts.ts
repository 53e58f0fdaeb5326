import { type Alert, changeAlert, listAlerts } from '@muster/contract/api/alerts'
import { formatRelativeTime } from '@muster/rules/text/units'
import { type Context, note, print, printJson, printList } from './output.ts'
import { type Column, makeSafe } from './text.ts'

const MAX_ALERTS = 1000

const COLUMNS: readonly Column<Alert>[] = [
  ['ID', ({ id }) => String(id)],
  ['SEVERITY', ({ severity }) => severity],
  ['STATE', ({ state }) => state],
  ['MACHINE', ({ hostname }) => hostname],
  ['CLIENT', ({ client }) => client],
  ['MESSAGE', ({ message }) => message],
  ['OPENED', ({ alert_time }) => formatRelativeTime(alert_time, Date.now())],
  ['BY', ({ acknowledged_by }) => acknowledged_by],
]

/** Open and acknowledged alerts, the most severe and newest first. */
export async function printAlerts(context: Context, watchSeconds: number | undefined): Promise<void> {
  await printList(context, {
    read: async () => {
      const body = { page: 1, page_size: MAX_ALERTS }
      const { alerts, alerts_count: total } = await context.client.call(listAlerts, { body })
      if (total > alerts.length) note(`The first ${alerts.length} of ${total} alerts.`)
      return alerts
    },
    columns: COLUMNS,
    empty: 'No alerts.',
    watchSeconds,
  })
}

export async function acknowledgeAlert(
  context: Context,
  id: number,
  reason: string | undefined,
): Promise<void> {
  const body = { type: 'acknowledge' as const, ...(reason === undefined ? {} : { note: reason }) }
  const alert = await context.client.callToEnd(changeAlert, { params: { id }, body })
  if (context.json) printJson(alert)
  else print(`Acknowledged alert ${alert.id}: ${makeSafe(alert.message).replaceAll('\n', ' ')}`)
}
