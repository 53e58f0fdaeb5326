import {
  type AcknowledgeLink,
  alertKey,
  cut,
  digestLines,
  factsOf,
  linkOf,
  type Message,
  subjectOf,
  textOf,
  worstOf,
} from '../message.ts'
import { colorOf } from './chat.ts'

/** The parts of a mail for nodemailer. No content can add headers or markup. */
export function mailOf(message: Message, domain: string, link?: AcknowledgeLink) {
  const id = (key: string) => `<${key.replaceAll(/[^\w.-]/g, '-')}@${domain}>`
  // Each mail has an id of its own: two addresses may have one mailbox.
  const part = link === undefined ? 0 : message.links.indexOf(link)
  const [news] = message.news
  const isFirst = message.news.length > 1 || news.kind === 'opened'
  return {
    messageId: id(part === 0 ? message.delivery : `${message.delivery}-${part}`),
    // Mail programs group the mails of one alert.
    ...(isFirst ? {} : { references: [id(alertKey(message, news.alert))] }),
    subject: cut(subjectOf(message), 200),
    text: link === undefined ? textOf(message) : `${textOf(message)}\n\n${LINK_TEXT}\n${link.url}`,
    html: htmlOf(message, link),
    date: message.at,
    headers: { 'auto-submitted': 'auto-generated', 'x-muster-delivery': cut(message.delivery, 100) },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

const LINK_TEXT = 'Acknowledge without signing in, once within 48 hours:'
const BUTTON =
  'display:inline-block;padding:12px 20px;border-radius:6px;background:#1864ab;color:#fff;text-decoration:none'

function htmlOf(message: Message, acknowledge: AcknowledgeLink | undefined): string {
  const link = linkOf(message)
  const content =
    message.news.length === 1
      ? [
          `<p style="white-space:pre-wrap">${escapeHtml(message.news[0].alert.message)}</p>`,
          '<table>',
          ...factsOf(message.news[0], message).map(
            ([label, value]) =>
              `<tr><th align="left">${escapeHtml(label)}</th><td>${escapeHtml(value)}</td></tr>`,
          ),
          '</table>',
        ]
      : ['<ul>', ...digestLines(message).map((line) => `<li>${escapeHtml(line)}</li>`), '</ul>']
  return [
    '<!doctype html><html><body style="font-family:sans-serif">',
    `<h2 style="color:${colorOf(worstOf(message))}">${escapeHtml(subjectOf(message))}</h2>`,
    ...content,
    ...(acknowledge === undefined
      ? []
      : [`<p><a href="${escapeHtml(acknowledge.url)}" style="${BUTTON}">Acknowledge</a></p>`]),
    ...(link === undefined ? [] : [`<p><a href="${escapeHtml(link)}">Open in Muster</a></p>`]),
    '</body></html>',
  ].join('\n')
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
