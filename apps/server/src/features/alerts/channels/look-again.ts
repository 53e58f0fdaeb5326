import type { ChannelRules } from '@muster/contract/api/alert-channels'
import { quietEnd } from './decide-notice.ts'
import type { AlertRow, NoticeRow } from './notice-queries.ts'

export type SecondLook = { send: true } | { drop: string } | { waitUntilMs: number }

const HELD = {
  maintenance: 'in maintenance',
  machine_down: 'its machine is down',
  site_down: 'its whole site is down',
  dependency: 'what it depends on has failed',
  flapping: 'it comes and goes',
} as const

/** Whether a notice whose turn has come is still to be sent: much may have happened while it waited. */
export function lookAgain({
  notice,
  alert,
  rules,
  wasTold,
  nowMs,
}: {
  notice: Pick<NoticeRow, 'kind'>
  alert: Pick<AlertRow, 'state' | 'hold' | 'severity' | 'acknowledged_by' | 'snooze_until'>
  rules: ChannelRules
  /** That it began was told on this channel. */
  wasTold: boolean
  nowMs: number
}): SecondLook {
  const reason = notice.kind === 'resolved' ? whyNotEnd(wasTold) : whyNotNews(alert)
  if (!rules.enabled) return { drop: 'The channel is switched off.' }
  if (reason !== undefined) return { drop: reason }
  const quietMs = quietEnd(rules, alert.severity, nowMs)
  return quietMs === undefined ? { send: true } : { waitUntilMs: quietMs }
}

function whyNotEnd(wasTold: boolean): string | undefined {
  return wasTold ? undefined : 'That it began was not told.'
}

function whyNotNews({
  state,
  hold,
  acknowledged_by,
  snooze_until,
}: Pick<AlertRow, 'state' | 'hold' | 'acknowledged_by' | 'snooze_until'>): string | undefined {
  if (state === 'resolved') return 'It was over before it could be told.'
  if (hold !== null) return `Held back: ${HELD[hold]}.`
  if (state === 'acknowledged') return `Acknowledged by ${acknowledged_by} before it was told.`
  if (state === 'snoozed') return `Snoozed until ${snooze_until ?? 'later'} before it was told.`
  return undefined
}

/** So many messages at once are one. */
const DIGEST_FROM = 6

type Sendable = Pick<NoticeRow, 'kind' | 'attempts' | 'due_at' | 'created_at'>

/** Those that leave in one message next, of what may be sent, oldest first. */
export function composeMessage<Notice extends Sendable>(
  sendable: readonly Notice[],
  canDigest: boolean,
): Notice[] {
  if (!canDigest) return sendable.slice(0, 1)
  if (sendable.length >= DIGEST_FROM) return [...sendable]
  const waited = sendable.filter(waitedForQuiet)
  return waited.length >= 2 ? waited : sendable.slice(0, 1)
}

/** What the quiet hours have held back is told at their end in one message, however little it is. */
function waitedForQuiet({ kind, attempts, due_at, created_at }: Sendable): boolean {
  return kind !== 'repeated' && attempts === 0 && due_at > created_at
}
