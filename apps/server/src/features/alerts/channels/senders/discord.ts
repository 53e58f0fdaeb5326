import { cut, digestLines, factsOf, linkOf, type Message, subjectOf, worstOf } from '../message.ts'
import { colorOf } from './colors.ts'
import { jsonRequest } from './json-request.ts'
import type { WebRequest } from './web-request.ts'

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
