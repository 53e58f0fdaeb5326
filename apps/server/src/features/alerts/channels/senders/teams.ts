import { cut, digestLines, factsOf, linkOf, type Message, subjectOf, worstOf } from '../message.ts'
import { jsonRequest } from './json-request.ts'
import type { WebRequest } from './web-request.ts'

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
