import type { Alert } from '@muster/contract/api/alerts'
import type { AlertNoticesTable } from '../../../platform/database/tables/alerts.ts'

export type NotifiedAlert = Pick<
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
> & {
  /** Why it is resolved: the check passes, was deleted, a user's note. Empty while it is open. */
  resolution: string
}

/** One alert change in a message. */
export interface News {
  kind: Exclude<AlertNoticesTable['kind'], 'paged'>
  alert: NotifiedAlert
}

/** A message on a channel: one change, or a digest of many. */
export interface Message {
  /** Unchanged when the message is sent again because its delivery is unknown. */
  delivery: string
  /** Distinguishes alerts of this server from those of another one. */
  installation: string
  at: Date
  /** Time zone for times in the text. */
  timeZone: string
  /** URL of the console, undefined if the server does not know it. */
  consoleUrl: string | undefined
  news: readonly [News, ...News[]]
  /** Empty for a digest, for a resolved alert, and if the server does not know its URL. */
  links: readonly AcknowledgeLink[]
}

/** Acknowledges the alert in the name of the recipient, once. */
export interface AcknowledgeLink {
  recipient: string
  url: string
}

const SEVERITY = { error: 'Error', warning: 'Warning', info: 'Info' } as const
const TYPE = { availability: 'Availability', check: 'Check', task: 'Task', custom: 'Custom' } as const
const MAX_DIGEST_LENGTH = 50

/** One line: `Error on PC-12: Disk C: is full`. */
export function headlineOf({ kind, alert }: News): string {
  const location = locationOf(alert)
  const head = `${wordOf(kind, alert)}${location === '' ? '' : ` on ${location}`}: ${alert.message}`
  // Without the reason, a problem whose check was deleted would seem to be solved.
  const reason = kind === 'resolved' ? alert.resolution.trim().replace(/\.$/, '') : ''
  return oneLine(reason === '' ? head : `${head} (${reason})`)
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

/** Details of one alert, as labels and values. */
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
    ['Reason', alert.resolution],
    ['Note', alert.flapping ? 'Flapping: notified once until it is stable.' : ''],
  ]
  return facts.filter(([, value]) => value !== '').map(([label, value]) => [label, oneLine(value)])
}

/** The headlines of a digest, and the number of further ones. */
export function digestLines({ news }: Message): string[] {
  const lines = news.slice(0, MAX_DIGEST_LENGTH).map(headlineOf)
  const rest = news.length - lines.length
  return rest === 0 ? lines : [...lines, `… and ${rest} more`]
}

/** The message as plain text, without its subject. */
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

/** The URL in the console. */
export function linkOf({ consoleUrl, news }: Message): string | undefined {
  return consoleUrl === undefined ? undefined : consoleUrl.replace(/\/+$/, '') + consolePath({ news })
}

/** The page of the console that shows the alert, or the alerts. */
export function consolePath({ news }: Pick<Message, 'news'>): string {
  return news.length === 1 && news[0].alert.id > 0 ? `/alerts?alert=${news[0].alert.id}` : '/alerts'
}

/** The worst severity that is still open, undefined if all alerts are resolved. */
export function worstOf({ news }: Message): NotifiedAlert['severity'] | undefined {
  const wrong = new Set(news.filter(({ kind }) => kind !== 'resolved').map(({ alert }) => alert.severity))
  return (['error', 'warning', 'info'] as const).find((severity) => wrong.has(severity))
}

/** Identifies an alert for receivers that track it. */
export function alertKey(
  { installation }: Pick<Message, 'installation'>,
  { id }: Pick<NotifiedAlert, 'id'>,
): string {
  return `muster-${installation}-${id}`
}

/** Truncates to `most` characters, with an ellipsis if text was cut. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  // A lone surrogate is not valid text.
  return `${text
    .slice(0, most - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, '')}…`
}

/** Replaces line breaks and other control characters by spaces. */
export function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, ' ').trim()
}

function locationOf({ hostname, site, client }: NotifiedAlert): string {
  if (hostname !== '') return hostname
  return [client, site].filter((name) => name !== '').join(' / ')
}

function wordOf(kind: News['kind'], alert: NotifiedAlert): string {
  const severity = SEVERITY[alert.severity]
  switch (kind) {
    case 'opened':
      return alert.flapping ? `${severity}, flapping` : severity
    case 'severity_changed':
      return `Now ${severity.toLowerCase()}`
    case 'repeated':
      return `Still ${severity.toLowerCase()}`
    case 'escalated':
      return `${severity}, escalated`
    case 'resolved':
      return 'Resolved'
  }
}

export function writeTime(instant: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone })
  return `${format.format(new Date(instant))} (${timeZone})`
}
