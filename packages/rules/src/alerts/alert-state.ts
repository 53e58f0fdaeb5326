/** How alerts change by their cause, their machine and time. User actions are in alert-actions.ts. */

export type AlertSeverity = 'info' | 'warning' | 'error'
export type AlertState = 'open' | 'acknowledged' | 'snoozed' | 'resolved'
/** Why an alert sends no notifications. */
export type AlertHold = 'maintenance' | 'machine_down' | 'site_down' | 'dependency' | 'flapping'
export type NoticeCause = 'opened' | 'severity_changed' | 'repeated' | 'resolved'
export type AlertLogKind =
  | 'opened'
  | 'severity_changed'
  | 'held'
  | 'released'
  | 'acknowledged'
  | 'unacknowledged'
  | 'snoozed'
  | 'unsnoozed'
  | 'noted'
  | 'flapping'
  | 'resolved'
  | 'notice_held'

/** The state of an alert. Instants are from toISOString(), so that they compare as text. */
export interface AlertSnapshot {
  state: AlertState
  severity: AlertSeverity
  message: string
  hold: AlertHold | null
  /** The highest severity that was notified; null = no notification yet. */
  notified: AlertSeverity | null
  /** Time of the next change: a release, a late notification, or the end of a snooze. */
  look_after: string | null
  alert_time: string
  /** For a resolved alert: a repetition is snoozed until then, too. */
  snooze_until: string | null
  acknowledged_by: string
  acknowledged_on: string | null
  resolved_on: string | null
  resolved_by: string
}

export interface AlertLogLine {
  at: string
  kind: AlertLogKind
  /** Empty = automatic. */
  by: string
  text: string
}

/** The result of a step. */
export interface AlertStep {
  next: AlertSnapshot
  log: AlertLogLine[]
  notice: NoticeCause | null
}

/** A flapping alert that stays for this long without a change is notified. */
const FLAPPING_REST_MS = 30 * 60_000

interface Opening {
  at: string
  now: string
  severity: AlertSeverity
  message: string
  hold: AlertHold | null
  /** Notified then and not at once: later results of the machine may resolve it. */
  notifyAfter: string | null
  /**
   * The previous alert was snoozed until then, and resolved automatically: a snooze survives a problem that comes
   * and goes.
   */
  snoozedUntil?: string | null
}

export function openAlert(opening: Opening): AlertStep {
  const { at, now, severity, message, hold, notifyAfter } = opening
  const snoozedUntil = opening.snoozedUntil ?? null
  const isNotified = hold === null && notifyAfter === null && snoozedUntil === null
  const log: AlertLogLine[] = [{ at, kind: 'opened', by: '', text: message }]
  if (snoozedUntil !== null)
    log.push({
      at: later(at, now),
      kind: 'snoozed',
      by: '',
      text: `Inherited from the previous alert, until ${snoozedUntil}.`,
    })
  if (hold !== null) log.push({ at: later(at, now), kind: 'held', by: '', text: HELD[hold] })
  return {
    next: {
      state: snoozedUntil === null ? 'open' : 'snoozed',
      severity,
      message,
      hold,
      notified: isNotified ? severity : null,
      look_after: hold === null ? notifyAfter : restOf(hold, at),
      alert_time: at,
      snooze_until: snoozedUntil,
      acknowledged_by: '',
      acknowledged_on: null,
      resolved_on: null,
      resolved_by: '',
    },
    log,
    notice: isNotified ? 'opened' : null,
  }
}

/** The cause continues with this severity and message; undefined if nothing changed. */
export function repeatCause(
  before: AlertSnapshot,
  { at, severity, message }: { at: string; severity: AlertSeverity; message: string },
): AlertStep | undefined {
  if (before.state === 'resolved') return undefined
  if (before.severity === severity && before.message === message) return undefined
  const next = { ...before, severity, message }
  if (before.hold === 'flapping') next.look_after = restOf('flapping', at)
  const line: AlertLogLine =
    before.severity === severity
      ? { at, kind: 'noted', by: '', text: message }
      : { at, kind: 'severity_changed', by: '', text: `From ${before.severity} to ${severity}: ${message}` }
  // An alert that waits for its first notification is notified with the text of that time.
  if (before.notified === null) return { next, log: [line], notice: null }
  return { ...notifyNow(next), log: [line] }
}

/** The cause has ended. Recipients of the alert are notified of this as well. */
export function endCause(before: AlertSnapshot, { at, text }: { at: string; text: string }): AlertStep {
  return resolve(before, { at, by: '', text })
}

/** Holds an alert; undefined if it already is. */
export function holdAlert(
  before: AlertSnapshot,
  { at, hold }: { at: string; hold: AlertHold },
): AlertStep | undefined {
  if (before.state === 'resolved') return undefined
  if (before.hold === hold) {
    if (before.look_after === null || hold === 'flapping') return undefined
    return { next: { ...before, look_after: null }, log: [], notice: null }
  }
  const next = { ...before, hold, look_after: restOf(hold, at) }
  return { next, log: [{ at, kind: 'held', by: '', text: HELD[hold] }], notice: null }
}

/** The reason of the hold has ended: results after `after` release it. */
export function releaseHold(before: AlertSnapshot, { after }: { after: string }): AlertStep | undefined {
  if (before.state === 'resolved' || before.hold === null || before.look_after !== null) return undefined
  return { next: { ...before, look_after: after }, log: [], notice: null }
}

/** The hold ends while the cause continues: notifies, unless that happened before. */
export function releaseAlert(before: AlertSnapshot, { at }: { at: string }): AlertStep | undefined {
  if (before.state === 'resolved' || before.hold === null) return undefined
  const line: AlertLogLine = { at, kind: 'released', by: '', text: RELEASED[before.hold] }
  return { ...notifyNow({ ...before, hold: null, look_after: null }), log: [line] }
}

/** Late notification of an alert that waited for later results of its machine. */
export function notifyLate(before: AlertSnapshot): AlertStep | undefined {
  if (before.state === 'resolved' || before.hold !== null || before.look_after === null) return undefined
  return { ...notifyNow({ ...before, look_after: null }), log: [] }
}

/** The snooze has ended: the alert is open again, and its recipients are reminded. */
export function endSnooze(before: AlertSnapshot, { at }: { at: string }): AlertStep | undefined {
  if (before.state !== 'snoozed') return undefined
  const next: AlertSnapshot = { ...before, state: 'open', snooze_until: null }
  const log: AlertLogLine[] = [{ at, kind: 'unsnoozed', by: '', text: 'The snooze has ended.' }]
  if (before.hold !== null || before.notified === null) return { ...notifyNow(next), log }
  return { next: { ...next, notified: worse(before.notified, before.severity) }, log, notice: 'repeated' }
}

/** For alert-actions.ts and endCause. */
export function resolve(
  before: AlertSnapshot,
  { at, by, text, look_after = null }: { at: string; by: string; text: string; look_after?: string | null },
): AlertStep {
  const on = later(before.alert_time, at)
  const log: AlertLogLine[] = [{ at: on, kind: 'resolved', by, text }]
  if (before.notified === null && before.hold === null) {
    log.push({ at: on, kind: 'notice_held', by: '', text: 'Resolved before it was notified.' })
  }
  return {
    next: {
      ...before,
      state: 'resolved',
      hold: null,
      look_after,
      // After a manual resolve, the next alert is notified.
      snooze_until: by === '' ? before.snooze_until : null,
      resolved_on: on,
      resolved_by: by,
    },
    log,
    notice: before.notified === null ? null : 'resolved',
  }
}

function isWorse(severity: AlertSeverity, than: AlertSeverity): boolean {
  return RANKS[severity] > RANKS[than]
}

/** The notification of an alert that was just released. */
function notifyNow(next: AlertSnapshot): Omit<AlertStep, 'log'> {
  const quiet = next.hold !== null || next.state === 'snoozed' || next.state === 'resolved'
  if (quiet) return { next, notice: null }
  if (next.notified === null) {
    // A user who acknowledged it knows about it.
    if (next.state === 'acknowledged') return { next, notice: null }
    return { next: { ...next, notified: next.severity }, notice: 'opened' }
  }
  if (!isWorse(next.severity, next.notified)) return { next, notice: null }
  return { next: { ...next, notified: next.severity }, notice: 'severity_changed' }
}

function worse(one: AlertSeverity, other: AlertSeverity): AlertSeverity {
  return isWorse(one, other) ? one : other
}

function restOf(hold: AlertHold, at: string): string | null {
  return hold === 'flapping' ? new Date(Date.parse(at) + FLAPPING_REST_MS).toISOString() : null
}

function later(one: string, other: string): string {
  return one > other ? one : other
}

const RANKS: Record<AlertSeverity, number> = { info: 0, warning: 1, error: 2 }
const HELD: Record<AlertHold, string> = {
  maintenance: 'The machine is in maintenance mode.',
  machine_down: 'The machine is down.',
  site_down: 'Every machine of the site is offline. One notification is sent for the site.',
  dependency: 'Its dependency is down.',
  flapping: 'Flapping: too many changes in the last hour, already notified.',
}
const RELEASED: Record<AlertHold, string> = {
  maintenance: 'Maintenance mode has ended, and the problem continues.',
  machine_down: 'The machine is back, and the problem continues.',
  site_down: 'Other machines of the site are back, and the problem continues.',
  dependency: 'Its dependency is back, and the problem continues.',
  flapping: 'Unchanged for half an hour.',
}

/** Number of alerts of one cause within the window that makes the next one flapping. */
export const FLAPPING_COUNT = 5
export const FLAPPING_WINDOW_MS = 60 * 60_000

export interface EarlierAlert {
  alert_time: string
  resolved_on: string | null
  flapping: boolean
}

/**
 * `first`: flapping, and notified as such. `again`: flapping that was already notified, held until it is stable.
 * `earlier`: the alerts of the same cause, at least those within the window, in any order.
 */
export function judgeFlapping(earlier: readonly EarlierAlert[], at: string): 'no' | 'first' | 'again' {
  const atMs = Date.parse(at)
  const latest = earlier.toSorted((a, b) => (a.alert_time < b.alert_time ? 1 : -1))[0]
  if (latest !== undefined && latest.flapping && !hasRested(latest, atMs)) return 'again'
  const recent = earlier.filter(({ alert_time }) => Date.parse(alert_time) > atMs - FLAPPING_WINDOW_MS)
  return recent.length >= FLAPPING_COUNT ? 'first' : 'no'
}

/** Half an hour without a change. */
function hasRested({ alert_time, resolved_on }: EarlierAlert, atMs: number): boolean {
  const openedMs = Date.parse(alert_time)
  const endedMs = resolved_on === null ? openedMs : Date.parse(resolved_on)
  return endedMs - openedMs >= FLAPPING_REST_MS || atMs - endedMs >= FLAPPING_REST_MS
}
