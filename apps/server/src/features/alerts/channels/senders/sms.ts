import type { ChannelSettings } from '@muster/contract/api/alert-channels'
import { cut, linkOf, type Message, subjectOf } from '../message.ts'
import type { WebRequest } from './web-request.ts'

type Settings = Extract<ChannelSettings, { kind: 'sms' }>

/** A text message has 160 characters. Three of them are enough. */
const MAX_LENGTH = 450

/** One request to Twilio per number. */
export function smsRequests(settings: Settings, message: Message): WebRequest[] {
  const { twilio_account_sid: sid, twilio_auth_token: token, twilio_number, api_url } = settings
  const url = `${api_url.replace(/\/+$/, '')}/2010-04-01/Accounts/${encodeURIComponent(sid)}/Messages.json`
  const link = linkOf(message)
  const text = cut(subjectOf(message), MAX_LENGTH - (link === undefined ? 0 : link.length + 1))
  const body = link === undefined ? text : `${text}\n${link}`
  return settings.recipients.map((to) => ({
    url,
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${sid}:${token}`).toString('base64')}`,
      'muster-delivery': message.delivery,
    },
    body: new URLSearchParams({ To: to, From: twilio_number, Body: body }).toString(),
  }))
}
