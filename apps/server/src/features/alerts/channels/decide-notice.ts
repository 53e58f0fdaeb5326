import type { ChannelKind, ChannelRules } from '@muster/contract/api/alert-channels'
import { allowsSeverity, type TemplateChoices } from '@muster/rules/alerts/alert-template'
import { quietUntil } from '@muster/rules/alerts/quiet-hours'
import type { AlertNoticesTable } from '../../../platform/database/tables/alerts.ts'
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
  /** What the alert template of the machine says; undefined without one. */
  choices?: TemplateChoices | undefined
}

/** What is to be told on one channel of what happened to one alert, and when. Undefined when it is not told there. */
export function decideNotice(question: Question): NoticePlan | undefined {
  return question.kind === 'resolved' ? decideEnd(question) : decideNews(question)
}

function decideNews(question: Question): NoticePlan | undefined {
  const { kind, alert, channel, place, earlier, nowMs, choices } = question
  if (!judgeChannel(channel, alert, place, choices).told) return undefined
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

function decideEnd({ alert, channel, earlier, nowMs, choices }: Question): NoticePlan {
  const waiting = earlier.filter((notice) => notice.kind !== 'resolved' && isInHand(notice))
  const drop = waiting.map(({ id }) => id)
  const isHeld = waiting.some((notice) => notice.kind !== 'repeated')
  const dueMs = quietEnd(channel.rules, alert.severity, nowMs) ?? nowMs
  const { enabled } = channel.rules
  const isNews = wasTold(earlier) && !earlier.some((notice) => notice.kind === 'resolved')
  return {
    drop,
    isHeld,
    dueMs,
    ...(enabled && tellsEnd(channel, choices) && isNews ? { insert: 'resolved' as const } : {}),
  }
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

/** Whether news of an alert go to a channel, and why. A template is asked before the rules of the channel. */
export function judgeChannel(
  channel: Pick<Channel, 'kind' | 'rules'>,
  alert: Pick<AlertRow, 'alert_type' | 'severity'>,
  place: Place,
  choices: TemplateChoices | undefined,
): { told: boolean; reason: string } {
  const { kind, rules } = channel
  const not = (reason: string) => ({ told: false, reason })
  if (!rules.enabled) return not('The channel is switched off.')
  if (rules.clients.length > 0 && (place.clientId === null || !rules.clients.includes(place.clientId)))
    return not('The channel is for other clients.')
  const choice = choiceOf(kind, choices)
  if (choice?.always === false) return not('The template says never.')
  if (choice !== undefined && !allowsSeverity(choice, alert.severity))
    return not('The template leaves this severity out.')
  if (choice?.always === true) return { told: true, reason: 'The template says always.' }
  if (!rules.severities.includes(alert.severity)) return not('The channel leaves this severity out.')
  if (!rules.alert_types.includes(alert.alert_type)) return not('The channel leaves this type out.')
  const wish = kind === 'email' ? place.email : kind === 'sms' ? place.text : true
  if (alert.alert_type === 'availability' && !wish)
    return not(`The machine is not to be told of by ${kind === 'email' ? 'e-mail' : 'text message'}.`)
  return { told: true, reason: 'By the rules of the channel.' }
}

/** Whether the channel is told when it is over. */
export function tellsEnd(
  { kind, rules }: Pick<Channel, 'kind' | 'rules'>,
  choices: TemplateChoices | undefined,
): boolean {
  return choiceOf(kind, choices)?.onResolved ?? rules.on_resolved
}

/** After how many minutes it is told again; 0 = never. */
export function repeatMinutes(
  rules: Pick<ChannelRules, 'repeat_minutes'>,
  choices: TemplateChoices | undefined,
): number {
  return choices?.repeatMinutes ?? rules.repeat_minutes
}

/** Templates speak of mail and text messages; other channels go by their own rules. */
function choiceOf(kind: ChannelKind, choices: TemplateChoices | undefined) {
  if (kind === 'email') return choices?.email
  return kind === 'sms' ? choices?.text : undefined
}

/** It waits and is not on its way. */
function isInHand({ state, delivery }: Earlier): boolean {
  return state === 'waiting' && delivery === null
}
