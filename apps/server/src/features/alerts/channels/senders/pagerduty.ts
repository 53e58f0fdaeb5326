import type { ChannelSettings } from '@muster/contract/api/alert-channels'
import { alertKey, cut, headlineOf, linkOf, type Message } from '../message.ts'
import { jsonRequest, type WebRequest } from './web-request.ts'

type Settings = Extract<ChannelSettings, { kind: 'pagerduty' }>

/** An event of PagerDuty's Events API v2: the same `dedup_key` triggers, changes and resolves one incident. */
export function pagerdutyRequest({ routing_key, url }: Settings, message: Message): WebRequest {
  const [news] = message.news
  const { alert } = news
  const link = linkOf(message)
  const event = { routing_key, dedup_key: alertKey(message, alert) }
  if (news.kind === 'resolved') return jsonRequest(url, { ...event, event_action: 'resolve' }, message)
  const body = {
    ...event,
    event_action: 'trigger',
    client: 'Muster',
    ...(link === undefined ? {} : { client_url: link }),
    payload: {
      summary: cut(headlineOf(news), 1024),
      source: alert.hostname || alert.site || 'Muster',
      severity: alert.severity,
      timestamp: alert.alert_time,
      class: alert.alert_type,
      group: [alert.client, alert.site].filter((name) => name !== '').join(' / '),
      custom_details: { alert_id: alert.id, message: alert.message, flapping: alert.flapping },
    },
  }
  return jsonRequest(url, body, message)
}
