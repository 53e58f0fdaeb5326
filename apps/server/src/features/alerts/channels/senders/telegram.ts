import type { ChannelSettings } from '@muster/contract/api/alert-channels'
import { cut, type Message, subjectOf, textOf } from '../message.ts'
import { jsonRequest } from './json-request.ts'
import type { WebRequest } from './web-request.ts'

type Settings = Extract<ChannelSettings, { kind: 'telegram' }>

/** A message of a Telegram bot as plain text: without a parse mode nothing in it is markup. */
export function telegramRequest({ bot_token, chat_id, api_url }: Settings, message: Message): WebRequest {
  const url = `${api_url.replace(/\/+$/, '')}/bot${encodeURIComponent(bot_token).replaceAll('%3A', ':')}/sendMessage`
  const body = {
    chat_id,
    text: cut(`${subjectOf(message)}\n\n${textOf(message)}`, 4096),
    link_preview_options: { is_disabled: true },
  }
  return jsonRequest(url, body, message)
}
