/** What becomes of an alert when its cause, its machine or the time says so. What people do is in alert-actions.ts. */

export type AlertSeverity = 'info' | 'warning' | 'error'
export type AlertState = 'open' | 'acknowledged' | 'snoozed' | 'resolved'
/** Why nobody is told of it. */
export type AlertHold = 'maintenance' | 'machine_down' | 'site_down' | 'dependency' | 'flapping'
export type TellKind = 'opened' | 'severity_changed' | 'repeated' | 'resolved'
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

/** How an alert stands. Instants are those of toISOString(), so that they compare as text. */
export interface AlertStanding {
  state: AlertState
  severity: AlertSeverity
  message: string
  hold: AlertHold | null
  /** The worst severity that was told; null while nobody has been told. */
  told: AlertSeverity | null
  /** When what it waits for may happen: its release, its late telling, or being raised anew. */
  look_after: string | null
  alert_time: string
  /** Of one that was over before: what comes again is snoozed until then, too. */
  snooze_until: string | null
  acknowledged_by: string
  acknowledged_on: string | null
  resolved_on: string | null
  resolved_by: string
}

export interface AlertLogLine {
  at: string
  kind: AlertLogKind
  /** Empty = by itself. */
  by: string
  text: string
}

/** What follows from something that happened. */
export interface AlertStep {
  next: AlertStanding
  log: AlertLogLine[]
  tell: TellKind | null
}

/** A flapping alert that stays for so long without a change is told. */
export const FLAPPING_REST_MS = 30 * 60_000

interface Opening {
  at: string
  now: string
  severity: AlertSeverity
  message: string
  hold: AlertHold | null
  /** Told then and not at once: later results of the machine may say that it is over. */
  tellAfter: string | null
  /** The one before it was snoozed until then, and was over by itself: a snooze is not lost when a cause comes and goes. */
  snoozedUntil?: string | null
}

export function openAlert(opening: Opening): AlertStep {
  const { at, now, severity, message, hold, tellAfter } = opening
  const snoozedUntil = opening.snoozedUntil ?? null
  const isTold = hold === null && tellAfter === null && snoozedUntil === null
  const log: AlertLogLine[] = [{ at, kind: 'opened', by: '', text: message }]
  if (snoozedUntil !== null)
    log.push({
      at: later(at, now),
      kind: 'snoozed',
      by: '',
      text: `As the one before it, until ${snoozedUntil}.`,
    })
  if (hold !== null) log.push({ at: later(at, now), kind: 'held', by: '', text: HELD[hold] })
  return {
    next: {
      state: snoozedUntil === null ? 'open' : 'snoozed',
      severity,
      message,
      hold,
      told: isTold ? severity : null,
      look_after: hold === null ? tellAfter : restOf(hold, at),
      alert_time: at,
      snooze_until: snoozedUntil,
      acknowledged_by: '',
      acknowledged_on: null,
      resolved_on: null,
      resolved_by: '',
    },
    log,
    tell: isTold ? 'opened' : null,
  }
}

/** The cause still stands, as this says; undefined when that is known. */
export function findAgain(
  before: AlertStanding,
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
  // One that waits to be told for the first time is told then as it is by then.
  if (before.told === null) return { next, log: [line], tell: null }
  return { ...tellNow(next), log: [line] }
}

/** The cause is over. Who was told that it opened is told this as well. */
export function endCause(before: AlertStanding, { at, text }: { at: string; text: string }): AlertStep {
  return resolve(before, { at, by: '', text })
}

/** Nobody is told from now on; undefined when that is so already. */
export function holdAlert(
  before: AlertStanding,
  { at, hold }: { at: string; hold: AlertHold },
): AlertStep | undefined {
  if (before.state === 'resolved') return undefined
  if (before.hold === hold) {
    if (before.look_after === null || hold === 'flapping') return undefined
    return { next: { ...before, look_after: null }, log: [], tell: null }
  }
  const next = { ...before, hold, look_after: restOf(hold, at) }
  return { next, log: [{ at, kind: 'held', by: '', text: HELD[hold] }], tell: null }
}

/** The reason of the hold is over: what is looked at after `after` releases it. */
export function letGo(before: AlertStanding, { after }: { after: string }): AlertStep | undefined {
  if (before.state === 'resolved' || before.hold === null || before.look_after !== null) return undefined
  return { next: { ...before, look_after: after }, log: [], tell: null }
}

/** The hold ends while the cause still stands: now it is told, if it was not before. */
export function releaseAlert(before: AlertStanding, { at }: { at: string }): AlertStep | undefined {
  if (before.state === 'resolved' || before.hold === null) return undefined
  const line: AlertLogLine = { at, kind: 'released', by: '', text: RELEASED[before.hold] }
  return { ...tellNow({ ...before, hold: null, look_after: null }), log: [line] }
}

/** Time for one that waited for later results of its machine. */
export function tellLate(before: AlertStanding): AlertStep | undefined {
  if (before.state === 'resolved' || before.hold !== null || before.look_after === null) return undefined
  return { ...tellNow({ ...before, look_after: null }), log: [] }
}

/** The snooze has ended by itself: it is open again, and who was told is reminded. */
export function endSnooze(before: AlertStanding, { at }: { at: string }): AlertStep | undefined {
  if (before.state !== 'snoozed') return undefined
  const next: AlertStanding = { ...before, state: 'open', snooze_until: null }
  const log: AlertLogLine[] = [{ at, kind: 'unsnoozed', by: '', text: 'The time is over.' }]
  if (before.hold !== null || before.told === null) return { ...tellNow(next), log }
  return { next: { ...next, told: worse(before.told, before.severity) }, log, tell: 'repeated' }
}

/** For alert-actions.ts and endCause. */
export function resolve(
  before: AlertStanding,
  { at, by, text, look_after = null }: { at: string; by: string; text: string; look_after?: string | null },
): AlertStep {
  const on = later(before.alert_time, at)
  const log: AlertLogLine[] = [{ at: on, kind: 'resolved', by, text }]
  if (before.told === null && before.hold === null) {
    log.push({ at: on, kind: 'notice_held', by: '', text: 'It was over before it could be told.' })
  }
  return {
    next: {
      ...before,
      state: 'resolved',
      hold: null,
      look_after,
      // A person who resolves it wants to hear of the next one.
      snooze_until: by === '' ? before.snooze_until : null,
      resolved_on: on,
      resolved_by: by,
    },
    log,
    tell: before.told === null ? null : 'resolved',
  }
}

function isWorse(severity: AlertSeverity, than: AlertSeverity): boolean {
  return RANKS[severity] > RANKS[than]
}

/** What an alert that just became tellable says to whom has heard of it or not. */
function tellNow(next: AlertStanding): Omit<AlertStep, 'log'> {
  const quiet = next.hold !== null || next.state === 'snoozed' || next.state === 'resolved'
  if (quiet) return { next, tell: null }
  if (next.told === null) {
    // Somebody who acknowledged it knows of it.
    if (next.state === 'acknowledged') return { next, tell: null }
    return { next: { ...next, told: next.severity }, tell: 'opened' }
  }
  if (!isWorse(next.severity, next.told)) return { next, tell: null }
  return { next: { ...next, told: next.severity }, tell: 'severity_changed' }
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
  site_down: 'Every machine of the site is silent: that is told once, for the site.',
  dependency: 'What it depends on is down.',
  flapping: 'It came and went too often within the last hour, which was told.',
}
const RELEASED: Record<AlertHold, string> = {
  maintenance: 'Maintenance mode is over, and it is still so.',
  machine_down: 'The machine is back, and it is still so.',
  site_down: 'Other machines of the site are back, and it is still so.',
  dependency: 'What it depends on is back, and it is still so.',
  flapping: 'It has stayed for half an hour.',
}
