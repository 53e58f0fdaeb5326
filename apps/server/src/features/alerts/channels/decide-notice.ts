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

/** The location of an alert, and the e-mail and text flags of its machine. */
export interface AlertOwner {
  clientId: number | null
  email: boolean
  text: boolean
}

export interface NoticePlan {
  /** Ids of notices that are no longer needed. */
  drop: number[]
  /** Whether an event stays without notification because they are dropped. */
  isHeld: boolean
  insert?: NoticeKind
  /** A waiting notice that covers this event, with its latest due time. */
  hasten?: number
  dueMs: number
}

type Earlier = Pick<NoticeRow, 'id' | 'kind' | 'state' | 'delivery' | 'unsure' | 'attempts' | 'due_at'>

export interface NoticeContext {
  kind: NoticeKind
  alert: Pick<AlertRow, 'alert_type' | 'severity'>
  channel: Channel
  owner: AlertOwner
  /** All earlier notices of this alert on this channel. */
  earlier: readonly Earlier[]
  nowMs: number
  /** Settings of the machine's alert template, undefined without one. */
  choices?: TemplateChoices | undefined
}

/** Decides what to send on one channel for one change of an alert, and when. Undefined = nothing. */
export function decideNotice(context: NoticeContext): NoticePlan | undefined {
  // Mails to users do not notify the recipients of the channel.
  const earlier = context.earlier.filter(({ kind }) => kind !== 'paged')
  const rest = { ...context, earlier }
  return context.kind === 'resolved' ? decideEnd(rest) : decideNews(rest)
}

function decideNews(context: NoticeContext): NoticePlan | undefined {
  const { kind, alert, channel, owner, earlier, nowMs, choices } = context
  if (!judgeChannel(channel, alert, owner, choices).notified) return undefined
  const dueMs = quietEnd(channel.rules, alert.severity, nowMs) ?? nowMs
  const waiting = earlier.filter(isInHand)
  // A new notice restarts the repetition.
  const drop = waiting.filter((notice) => notice.kind === 'repeated').map(({ id }) => id)
  const same = waiting.find(({ kind }) => kind === 'opened' || kind === 'severity_changed')
  if (same === undefined) {
    return { drop, isHeld: false, dueMs, insert: wasNotified(earlier) ? kind : 'opened' }
  }
  // The message is built from the state of the alert at sending time.
  if (same.attempts > 0 || Date.parse(same.due_at) <= dueMs) return { drop, isHeld: false, dueMs }
  return { drop, isHeld: false, dueMs, hasten: same.id }
}

function decideEnd({ alert, channel, earlier, nowMs, choices }: NoticeContext): NoticePlan {
  const waiting = earlier.filter((notice) => notice.kind !== 'resolved' && isInHand(notice))
  const drop = waiting.map(({ id }) => id)
  const isHeld = waiting.some((notice) => notice.kind !== 'repeated')
  const dueMs = quietEnd(channel.rules, alert.severity, nowMs) ?? nowMs
  const { enabled } = channel.rules
  const isNews = wasNotified(earlier) && !earlier.some((notice) => notice.kind === 'resolved')
  return {
    drop,
    isHeld,
    dueMs,
    ...(enabled && notifiesEnd(channel, choices) && isNews ? { insert: 'resolved' as const } : {}),
  }
}

/** Whether a problem was notified: sent, possibly delivered, or being sent right now. */
export function wasNotified(
  earlier: readonly Pick<Earlier, 'kind' | 'state' | 'delivery' | 'unsure'>[],
): boolean {
  return earlier.some(
    ({ kind, state, delivery, unsure }) =>
      kind !== 'resolved' && (state === 'sent' || unsure === 1 || (state === 'waiting' && delivery !== null)),
  )
}

/** Returns the end of the quiet hours if the channel is quiet for this severity now. */
export function quietEnd(
  rules: ChannelRules,
  severity: AlertRow['severity'],
  nowMs: number,
): number | undefined {
  if (rules.quiet_except.includes(severity)) return undefined
  return quietUntil({ from: rules.quiet_from, to: rules.quiet_to, timeZone: rules.time_zone }, nowMs)
}

/** Whether and why an alert goes to a channel. A template overrides the rules of the channel. */
export function judgeChannel(
  channel: Pick<Channel, 'kind' | 'rules'>,
  alert: Pick<AlertRow, 'alert_type' | 'severity'>,
  owner: AlertOwner,
  choices: TemplateChoices | undefined,
): { notified: boolean; reason: string } {
  const { kind, rules } = channel
  const not = (reason: string) => ({ notified: false, reason })
  if (!rules.enabled) return not('The channel is switched off.')
  if (rules.clients.length > 0 && (owner.clientId === null || !rules.clients.includes(owner.clientId)))
    return not('The channel is for other clients.')
  const choice = choiceOf(kind, choices)
  if (choice?.always === false) return not('The template never notifies.')
  if (choice !== undefined && !allowsSeverity(choice, alert.severity))
    return not('The template excludes this severity.')
  if (choice?.always === true) return { notified: true, reason: 'The template always notifies.' }
  if (!rules.severities.includes(alert.severity)) return not('The channel excludes this severity.')
  if (!rules.alert_types.includes(alert.alert_type)) return not('The channel excludes this type.')
  const isWanted = kind === 'email' ? owner.email : kind === 'sms' ? owner.text : true
  if (alert.alert_type === 'availability' && !isWanted)
    return not(`The machine does not send alerts by ${kind === 'email' ? 'e-mail' : 'text message'}.`)
  return { notified: true, reason: 'The rules of the channel include it.' }
}

/** Whether the channel is notified when the alert resolves. */
export function notifiesEnd(
  { kind, rules }: Pick<Channel, 'kind' | 'rules'>,
  choices: TemplateChoices | undefined,
): boolean {
  return choiceOf(kind, choices)?.onResolved ?? rules.on_resolved
}

/** Minutes until the notification is repeated. 0 = never. */
export function repeatMinutes(
  rules: Pick<ChannelRules, 'repeat_minutes'>,
  choices: TemplateChoices | undefined,
): number {
  return choices?.repeatMinutes ?? rules.repeat_minutes
}

/** Templates control mail and text messages. Other channels follow their own rules. */
function choiceOf(kind: ChannelKind, choices: TemplateChoices | undefined) {
  if (kind === 'email') return choices?.email
  return kind === 'sms' ? choices?.text : undefined
}

/** Waiting and not being sent. */
function isInHand({ state, delivery }: Earlier): boolean {
  return state === 'waiting' && delivery === null
}
