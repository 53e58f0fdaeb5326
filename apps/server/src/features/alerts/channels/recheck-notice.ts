import type { ChannelRules } from '@muster/contract/api/alert-channels'
import { quietEnd } from './decide-notice.ts'
import type { AlertRow, NoticeRow } from './notice-queries.ts'

export type SecondLook = { send: true } | { drop: string } | { waitUntilMs: number }

const HELD = {
  maintenance: 'in maintenance',
  machine_down: 'its machine is down',
  site_down: 'its whole site is down',
  dependency: 'a check that it depends on fails',
  flapping: 'it is flapping',
} as const

/** Checks whether a due notice is still to be sent, because the alert may have changed while it waited. */
export function recheckNotice({
  notice,
  alert,
  rules,
  wasNotified,
  nowMs,
}: {
  notice: Pick<NoticeRow, 'kind'>
  alert: Pick<AlertRow, 'state' | 'hold' | 'severity' | 'acknowledged_by' | 'snooze_until'>
  rules: ChannelRules
  /** The start of the alert was notified on this channel. */
  wasNotified: boolean
  nowMs: number
}): SecondLook {
  const reason = notice.kind === 'resolved' ? whyNotEnd(wasNotified) : whyNotNews(alert)
  if (!rules.enabled) return { drop: 'The channel is switched off.' }
  if (reason !== undefined) return { drop: reason }
  // Users on call are notified at night.
  const isUrgent = notice.kind === 'escalated' || notice.kind === 'paged'
  const quietMs = isUrgent ? undefined : quietEnd(rules, alert.severity, nowMs)
  return quietMs === undefined ? { send: true } : { waitUntilMs: quietMs }
}

function whyNotEnd(wasNotified: boolean): string | undefined {
  return wasNotified ? undefined : 'The start of the alert was not notified.'
}

function whyNotNews({
  state,
  hold,
  acknowledged_by,
  snooze_until,
}: Pick<AlertRow, 'state' | 'hold' | 'acknowledged_by' | 'snooze_until'>): string | undefined {
  if (state === 'resolved') return 'The alert resolved before the notification.'
  if (hold !== null) return `Held: ${HELD[hold]}.`
  if (state === 'acknowledged') return `Acknowledged by ${acknowledged_by} before the notification.`
  if (state === 'snoozed') return `Snoozed until ${snooze_until ?? 'later'} before the notification.`
  return undefined
}

/** From this number on, messages are combined into a digest. */
const DIGEST_FROM = 6

type Sendable = Pick<NoticeRow, 'kind' | 'attempts' | 'due_at' | 'created_at'>

/** Selects the notices of the next message among those that may be sent, oldest first. */
export function composeMessage<Notice extends Sendable>(
  sendable: readonly Notice[],
  canDigest: boolean,
): Notice[] {
  if (!canDigest) return sendable.slice(0, 1)
  if (sendable.length >= DIGEST_FROM) return [...sendable]
  const waited = sendable.filter(waitedForQuiet)
  return waited.length >= 2 ? waited : sendable.slice(0, 1)
}

/** Notices held by quiet hours are sent in one message at their end, whatever their number. */
function waitedForQuiet({ kind, attempts, due_at, created_at }: Sendable): boolean {
  return kind !== 'repeated' && attempts === 0 && due_at > created_at
}
