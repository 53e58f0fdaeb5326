import type { ChannelSettings } from '@muster/contract/api/alert-channels'
import { cut, linkOf, type Message, subjectOf, textOf, worstOf } from '../message.ts'
import { jsonRequest, type WebRequest } from './web-request.ts'

type Settings = Extract<ChannelSettings, { kind: 'ntfy' }>

const PRIORITY = { error: 5, warning: 4, info: 3 } as const
const TAG = { error: 'rotating_light', warning: 'warning', info: 'information_source' } as const

/** A message for an ntfy topic, published as JSON, which allows any title. */
export function ntfyRequest({ url, token }: Settings, message: Message): WebRequest {
  const { server, topic } = topicOf(url) ?? { server: url, topic: '' }
  const worst = worstOf(message)
  const link = linkOf(message)
  const body = {
    topic,
    title: cut(subjectOf(message), 250),
    message: cut(textOf(message), 3500),
    priority: worst === undefined ? 3 : PRIORITY[worst],
    tags: [worst === undefined ? 'white_check_mark' : TAG[worst]],
    ...(link === undefined ? {} : { click: link }),
  }
  return jsonRequest(server, body, message, token === '' ? {} : { authorization: `Bearer ${token}` })
}

/** `https://ntfy.sh/alerts` is the topic `alerts` on `https://ntfy.sh/`. */
export function topicOf(url: string): { server: string; topic: string } | undefined {
  if (!URL.canParse(url)) return undefined
  const address = new URL(url)
  const [, folder, topic] = /^(.*\/)([\w-]{1,64})\/?$/.exec(address.pathname) ?? []
  if (folder === undefined || topic === undefined) return undefined
  address.pathname = folder
  return { server: address.href, topic }
}
