import type { ChannelKind, ChannelRules } from '@muster/contract/api/alert-channels'
import { quietUntil } from '@muster/rules/quiet-hours'
import type { AlertNoticesTable } from '../../platform/database/tables/alerts.ts'
import type { AlertRow, NoticeRow } from './notice-queries.ts'

export type NoticeKind = AlertNoticesTable['kind']

export interface Channel {
  id: number
  name: string
  kind: ChannelKind
  rules: ChannelRules
}

/** Whom an alert concerns, and whether its machine wants it told by mail or text message. */
export interface Place {
  clientId: number | null
  email: boolean
  text: boolean
}

export interface NoticePlan {
  /** Numbers of notices that are not needed any more. */
  drop: number[]
  /** Whether dropping them means that something is not told at all. */
  isHeld: boolean
  insert?: NoticeKind
  /** A notice that waits already and tells it too, by then at the latest. */
  hasten?: number
  dueMs: number
}

type Earlier = Pick<NoticeRow, 'id' | 'kind' | 'state' | 'delivery' | 'unsure' | 'attempts' | 'due_at'>

export interface Question {
  kind: NoticeKind
  alert: Pick<AlertRow, 'alert_type' | 'severity'>
  channel: Channel
  place: Place
  /** Every notice of this alert on this channel so far. */
  earlier: readonly Earlier[]
  nowMs: number
}

/** What is to be told on one channel of what happened to one alert, and when. Undefined when it is not told there. */
export function decideNotice(question: Question): NoticePlan | undefined {
  return question.kind === 'resolved' ? decideEnd(question) : decideNews(question)
}

function decideNews({ kind, alert, channel, place, earlier, nowMs }: Question): NoticePlan | undefined {
  if (!wants(channel, alert, place)) return undefined
  const dueMs = quietEnd(channel.rules, alert.severity, nowMs) ?? nowMs
  const waiting = earlier.filter(isInHand)
  // A repetition begins anew with what is told now.
  const drop = waiting.filter((notice) => notice.kind === 'repeated').map(({ id }) => id)
  const same = waiting.find((notice) => notice.kind !== 'repeated' && notice.kind !== 'resolved')
  if (same === undefined) {
    return { drop, isHeld: false, dueMs, insert: wasTold(earlier) ? kind : 'opened' }
  }
  // The message is made of what the alert is when it leaves.
  if (same.attempts > 0 || Date.parse(same.due_at) <= dueMs) return { drop, isHeld: false, dueMs }
  return { drop, isHeld: false, dueMs, hasten: same.id }
}

function decideEnd({ alert, channel, earlier, nowMs }: Question): NoticePlan {
  const waiting = earlier.filter((notice) => notice.kind !== 'resolved' && isInHand(notice))
  const drop = waiting.map(({ id }) => id)
  const isHeld = waiting.some((notice) => notice.kind !== 'repeated')
  const dueMs = quietEnd(channel.rules, alert.severity, nowMs) ?? nowMs
  const { enabled, on_resolved } = channel.rules
  const isNews = wasTold(earlier) && !earlier.some((notice) => notice.kind === 'resolved')
  return { drop, isHeld, dueMs, ...(enabled && on_resolved && isNews ? { insert: 'resolved' as const } : {}) }
}

/** Whether something was told that is wrong: it was sent, may have arrived, or is on its way in this moment. */
export function wasTold(
  earlier: readonly Pick<Earlier, 'kind' | 'state' | 'delivery' | 'unsure'>[],
): boolean {
  return earlier.some(
    ({ kind, state, delivery, unsure }) =>
      kind !== 'resolved' && (state === 'sent' || unsure === 1 || (state === 'waiting' && delivery !== null)),
  )
}

/** The end of the quiet hours when the channel is to be quiet about this severity now. */
export function quietEnd(
  rules: ChannelRules,
  severity: AlertRow['severity'],
  nowMs: number,
): number | undefined {
  if (rules.quiet_except.includes(severity)) return undefined
  return quietUntil({ from: rules.quiet_from, to: rules.quiet_to, timeZone: rules.time_zone }, nowMs)
}

function wants(
  { kind, rules }: Channel,
  alert: Pick<AlertRow, 'alert_type' | 'severity'>,
  place: Place,
): boolean {
  if (!rules.enabled || !rules.severities.includes(alert.severity)) return false
  if (!rules.alert_types.includes(alert.alert_type)) return false
  if (rules.clients.length > 0 && (place.clientId === null || !rules.clients.includes(place.clientId)))
    return false
  if (alert.alert_type !== 'availability') return true
  if (kind === 'email') return place.email
  if (kind === 'sms') return place.text
  return true
}

/** It waits and is not on its way. */
function isInHand({ state, delivery }: Earlier): boolean {
  return state === 'waiting' && delivery === null
}
