import { createHmac } from 'node:crypto'
import type { ChannelSettings } from '@muster/contract/api/alert-channels'
import { linkOf, type Message, type News, subjectOf, textOf } from '../message.ts'
import { fillTemplate } from './template.ts'
import type { WebRequest } from './web-request.ts'

type Settings = Extract<ChannelSettings, { kind: 'webhook' }>

/** The request of a webhook, signed if it has a secret. With a template each alert is one request. */
export function webhookRequest(settings: Settings, message: Message): WebRequest {
  const body =
    settings.body_template === '' ? plainBody(message) : fillTemplate(settings.body_template, message)
  const headers = Object.fromEntries(settings.headers.map(({ name, value }) => [name.toLowerCase(), value]))
  return {
    url: settings.url,
    method: settings.method,
    headers: {
      'content-type': 'application/json',
      ...headers,
      'muster-delivery': message.delivery,
      ...(settings.secret === ''
        ? {}
        : { 'muster-signature': signatureOf(settings.secret, message.at, body) }),
    },
    body,
  }
}

/** `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`: the time lets the receiver reject replays. */
export function signatureOf(secret: string, at: Date, body: string): string {
  const seconds = Math.floor(at.getTime() / 1000)
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}

function plainBody(message: Message): string {
  const { delivery, at, news } = message
  const head = { delivery, sent_at: at.toISOString(), subject: subjectOf(message), text: textOf(message) }
  const link = linkOf(message) ?? null
  if (news.length === 1)
    return JSON.stringify({
      ...head,
      kind: news[0].kind,
      url: link,
      acknowledge_url: message.links[0]?.url ?? null,
      alert: news[0].alert,
    })
  return JSON.stringify({ ...head, kind: 'digest', url: link, alerts: news.map(flatten) })
}

function flatten({ kind, alert }: News) {
  return { kind, alert }
}
