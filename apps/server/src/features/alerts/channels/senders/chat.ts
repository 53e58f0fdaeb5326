import type { ChannelSettings } from '@muster/contract/api/alert-channels'
import type { Severity } from '@muster/contract/fields'
import { cut, digestLines, factsOf, linkOf, type Message, subjectOf, textOf, worstOf } from '../message.ts'
import { jsonRequest, type WebRequest } from './web-request.ts'

/** A message for an incoming webhook of Slack or a compatible service (Mattermost, Rocket.Chat). */
export function slackRequest({ url }: { url: string }, message: Message): WebRequest {
  const subject = escapeSlack(cut(subjectOf(message), 500))
  const link = linkOf(message)
  const attachment = {
    color: colorOf(worstOf(message)),
    fallback: subject,
    title: subject,
    ...(link === undefined ? {} : { title_link: link }),
    ...(message.news.length === 1
      ? {
          text: escapeSlack(cut(message.news[0].alert.message, 2500)),
          fields: factsOf(message.news[0], message).map(([title, value]) => ({
            title,
            value: escapeSlack(value),
            short: value.length < 40,
          })),
        }
      : { text: escapeSlack(cut(digestLines(message).join('\n'), 3000)) }),
  }
  // The attachment contains the text of the notification.
  return jsonRequest(url, { attachments: [attachment] }, message)
}

/** Otherwise `<!channel>` in a message would notify everyone. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** A message for a Discord webhook. The length limits are Discord's. */
export function discordRequest({ url }: { url: string }, message: Message): WebRequest {
  const link = linkOf(message)
  const embed = {
    title: cut(escapeMarkdown(subjectOf(message)), 256),
    color: Number.parseInt(colorOf(worstOf(message)).slice(1), 16),
    timestamp: message.at.toISOString(),
    ...(link === undefined ? {} : { url: link }),
    ...(message.news.length === 1
      ? {
          description: cut(escapeMarkdown(message.news[0].alert.message), 3000),
          fields: factsOf(message.news[0], message).map(([name, value]) => ({
            name,
            value: cut(escapeMarkdown(value), 300),
            inline: true,
          })),
        }
      : { description: cut(escapeMarkdown(digestLines(message).join('\n')), 4000) }),
  }
  // Mentions in texts of machines must not notify anyone.
  return jsonRequest(url, { username: 'Muster', allowed_mentions: { parse: [] }, embeds: [embed] }, message)
}

function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\*_~`|>[\]()#-]/g, String.raw`\$&`)
}

const CARD_COLORS = { error: 'Attention', warning: 'Warning', info: 'Accent' } as const

/** An adaptive card for a Teams workflow ("when a webhook request is received"). */
export function teamsRequest({ url }: { url: string }, message: Message): WebRequest {
  const worst = worstOf(message)
  const link = linkOf(message)
  const lines =
    message.news.length === 1
      ? [
          cut(message.news[0].alert.message, 4000),
          ...factsOf(message.news[0], message).map(([label, value]) => `${label}: ${value}`),
        ]
      : digestLines(message)
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      paragraph(cut(subjectOf(message), 500), {
        weight: 'Bolder',
        color: worst === undefined ? 'Good' : CARD_COLORS[worst],
      }),
      ...lines.map((line) => paragraph(line, {})),
    ],
    ...(link === undefined
      ? {}
      : { actions: [{ type: 'Action.OpenUrl', title: 'Open in Muster', url: link }] }),
  }
  const attachment = {
    contentType: 'application/vnd.microsoft.card.adaptive',
    contentUrl: null,
    content: card,
  }
  return jsonRequest(url, { type: 'message', attachments: [attachment] }, message)
}

/** A text run is shown literally. A text block would interpret Markdown in texts of machines. */
function paragraph(text: string, look: Record<string, string>) {
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text, ...look }] }
}

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

const COLORS = { error: '#c92a2a', warning: '#e67700', info: '#1864ab' } as const
const OVER = '#2b8a3e'

/** The colour that chat programs show next to a message. The text says the same. */
export function colorOf(worst: Severity | undefined): string {
  return worst === undefined ? OVER : COLORS[worst]
}
