import type { Alert } from '@muster/contract/api/alerts'
import type { AlertNoticesTable } from '../../../platform/database/tables/alerts.ts'

export type ToldAlert = Pick<
  Alert,
  | 'id'
  | 'alert_type'
  | 'state'
  | 'severity'
  | 'message'
  | 'agent_id'
  | 'hostname'
  | 'client_id'
  | 'client'
  | 'site_id'
  | 'site'
  | 'check_id'
  | 'alert_time'
  | 'resolved_on'
  | 'flapping'
>

/** One thing that a message tells. */
export interface News {
  kind: AlertNoticesTable['kind']
  alert: ToldAlert
}

/** What leaves on a channel at once: one piece of news, or a digest of many. */
export interface Message {
  /** The same when it is sent again because nobody knows whether it arrived. */
  delivery: string
  /** Tells alerts of this server from those of another. */
  installation: string
  at: Date
  /** In which times are written. */
  timeZone: string
  /** Of the console; undefined when the server was not told its address. */
  consoleUrl: string | undefined
  news: readonly [News, ...News[]]
}

const SEVERITY = { error: 'Error', warning: 'Warning', info: 'Info' } as const
const TYPE = { availability: 'Availability', check: 'Check', task: 'Task', custom: 'Custom' } as const
const LONGEST_DIGEST = 50

/** One line without a line break: `Error on PC-12: Disk C: is full`. */
export function headlineOf({ kind, alert }: News): string {
  const place = placeOf(alert)
  return oneLine(`${wordOf(kind, alert)}${place === '' ? '' : ` on ${place}`}: ${alert.message}`)
}

/** The headline of the whole message. */
export function subjectOf({ news }: Message): string {
  if (news.length === 1) return headlineOf(news[0])
  const resolved = news.filter(({ kind }) => kind === 'resolved').length
  const counts = [
    ...(['error', 'warning', 'info'] as const).map((severity) => ({
      count: news.filter(({ kind, alert }) => kind !== 'resolved' && alert.severity === severity).length,
      words: [SEVERITY[severity].toLowerCase(), severity === 'info' ? 'info' : `${severity}s`] as const,
    })),
    { count: resolved, words: ['resolved', 'resolved'] as const },
  ].filter(({ count }) => count > 0)
  const parts = counts.map(({ count, words }) => `${count} ${count === 1 ? words[0] : words[1]}`)
  return `${news.length} alerts: ${parts.join(', ')}`
}

/** What is known of one alert, label by label. */
export function factsOf(
  { alert }: News,
  { timeZone }: Pick<Message, 'timeZone'>,
): [label: string, value: string][] {
  const facts: [string, string][] = [
    ['Machine', alert.hostname],
    ['Client', alert.client],
    ['Site', alert.site],
    ['Type', TYPE[alert.alert_type]],
    ['Since', writeTime(alert.alert_time, timeZone)],
    ['Resolved', alert.resolved_on === null ? '' : writeTime(alert.resolved_on, timeZone)],
    ['Note', alert.flapping ? 'It comes and goes: it is told once until that ends.' : ''],
  ]
  return facts.filter(([, value]) => value !== '').map(([label, value]) => [label, oneLine(value)])
}

/** The headlines of a digest, and how many more there are. */
export function digestLines({ news }: Message): string[] {
  const lines = news.slice(0, LONGEST_DIGEST).map(headlineOf)
  const rest = news.length - lines.length
  return rest === 0 ? lines : [...lines, `… and ${rest} more`]
}

/** The whole message as plain text below its subject. */
export function textOf(message: Message): string {
  const { news } = message
  const link = linkOf(message)
  const lines =
    news.length === 1
      ? [
          news[0].alert.message,
          '',
          ...factsOf(news[0], message).map(([label, value]) => `${label}: ${value}`),
        ]
      : digestLines(message)
  return [...lines, ...(link === undefined ? [] : ['', link])].join('\n')
}

/** Where the console shows it. */
export function linkOf({ consoleUrl, news }: Message): string | undefined {
  if (consoleUrl === undefined) return undefined
  const base = consoleUrl.replace(/\/+$/, '')
  return news.length === 1 && news[0].alert.id > 0
    ? `${base}/alerts?dialog=alert&item=${news[0].alert.id}`
    : `${base}/alerts`
}

/** The worst that is still wrong; undefined when all of it is over. */
export function worstOf({ news }: Message): ToldAlert['severity'] | undefined {
  const wrong = new Set(news.filter(({ kind }) => kind !== 'resolved').map(({ alert }) => alert.severity))
  return (['error', 'warning', 'info'] as const).find((severity) => wrong.has(severity))
}

/** Names an alert wherever the same one must be recognized later. */
export function alertKey(
  { installation }: Pick<Message, 'installation'>,
  { id }: Pick<ToldAlert, 'id'>,
): string {
  return `muster-${installation}-${id}`
}

/** At most so many characters, with an ellipsis where something was cut. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  // Half a surrogate pair would be no text any more.
  return `${text
    .slice(0, most - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, '')}…`
}

/** Without line breaks and other control characters. */
export function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, ' ').trim()
}

function placeOf({ hostname, site, client }: ToldAlert): string {
  if (hostname !== '') return hostname
  return [client, site].filter((name) => name !== '').join(' / ')
}

function wordOf(kind: News['kind'], alert: ToldAlert): string {
  const severity = SEVERITY[alert.severity]
  switch (kind) {
    case 'opened':
      return alert.flapping ? `${severity}, flapping` : severity
    case 'severity_changed':
      return `Now ${severity.toLowerCase()}`
    case 'repeated':
      return `Still ${severity.toLowerCase()}`
    case 'resolved':
      return 'Resolved'
  }
}

function writeTime(instant: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone })
  return `${format.format(new Date(instant))} (${timeZone})`
}
