import type { AlertLogLine, NoticeCause } from '@muster/rules/alerts/alert-state'
import type { WebhookFact } from '../../hooks.ts'
import type { AlertRow } from './queries.ts'

/** Facts for webhooks about the changes of an alert. A suppressed alert is no event. */
export function alertFacts(
  alert: AlertRow,
  {
    before,
    notices,
    log,
  }: { before: AlertRow | undefined; notices: readonly NoticeCause[]; log: readonly AlertLogLine[] },
): WebhookFact[] {
  const { id, agent_id, site_id } = alert
  const resolution = log.findLast(({ kind }) => kind === 'resolved')?.text ?? ''
  const about = { agent_id, site_id, data: { alert: { ...describe(alert), resolution } } }
  const facts: WebhookFact[] = []
  if (notices.includes('opened'))
    facts.push({ event: 'alert.opened', source: `alert.opened:${id}`, ...about })
  if (alert.state === 'acknowledged' && before?.state !== 'acknowledged')
    facts.push({
      event: 'alert.acknowledged',
      source: `alert.acknowledged:${id}:${alert.acknowledged_on}`,
      ...about,
    })
  if (notices.includes('resolved'))
    facts.push({ event: 'alert.resolved', source: `alert.resolved:${id}`, ...about })
  return facts
}

function describe(alert: AlertRow) {
  return {
    id: alert.id,
    type: alert.alert_type,
    severity: alert.severity,
    state: alert.state,
    message: alert.message,
    check_id: alert.check_id,
    alert_time: alert.alert_time,
    acknowledged_by: alert.acknowledged_by,
    resolved_on: alert.resolved_on,
    resolved_by: alert.resolved_by,
  }
}
