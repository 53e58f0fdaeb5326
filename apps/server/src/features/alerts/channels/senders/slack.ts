import { cut, factsOf, digestLines, linkOf, type Message, subjectOf, worstOf } from '../message.ts'
import { colorOf } from './colors.ts'
import { jsonRequest } from './json-request.ts'
import type { WebRequest } from './web-request.ts'

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
