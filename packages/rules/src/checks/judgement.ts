import { shownLine } from '../text/escape-sequences.ts'
import { roundFileSize } from '../text/units.ts'

export type Severity = 'info' | 'warning' | 'error'
export interface Judgement {
  passing: boolean
  /** Null when it passes. */
  severity: Severity | null
  /** One line for display. */
  more_info: string
  /** The machine lacks what the check needs. The severity is that of the alert. */
  not_measured?: true
}

/** 0 = not set. */
export interface ThresholdPair {
  warning_threshold: number
  error_threshold: number
}
/** Null = not set. 0 and negative numbers are values. */
export interface Limits {
  warning_threshold: number | null
  error_threshold: number | null
}
export const limitsOf = ({ warning_threshold, error_threshold }: ThresholdPair): Limits => ({
  warning_threshold: warning_threshold > 0 ? warning_threshold : null,
  error_threshold: error_threshold > 0 ? error_threshold : null,
})

/** A value is beyond a limit if it is greater, or less if `reverse` is set. */
export function severityOf(
  { warning_threshold, error_threshold, reverse }: Limits & { reverse: boolean },
  value: number,
): Severity | null {
  const isBeyond = (limit: number | null) => limit !== null && (reverse ? value < limit : value > limit)
  if (isBeyond(error_threshold)) return 'error'
  return isBeyond(warning_threshold) ? 'warning' : null
}

export function compare(pair: ThresholdPair & { reverse: boolean }, value: number, info: string): Judgement {
  return compareLimits({ ...limitsOf(pair), reverse: pair.reverse }, value, info)
}

export function compareLimits(limits: Limits & { reverse: boolean }, value: number, info: string): Judgement {
  const severity = severityOf(limits, value)
  return severity === null ? pass(info) : fail(severity, info)
}

/** A limit without a value fails, as severely as it can; without limits it passes. */
export function compareNothing({ warning_threshold, error_threshold }: Limits, info: string): Judgement {
  if (error_threshold !== null) return fail('error', info)
  return warning_threshold === null ? pass(info) : fail('warning', info)
}

const SEVERITIES: readonly (Severity | null)[] = [null, 'info', 'warning', 'error']
const rank = ({ severity }: Judgement) => SEVERITIES.indexOf(severity)

/** The first of the most severe ones. */
export function worstOf(first: Judgement, ...others: Judgement[]): Judgement {
  return others.reduce((worst, one) => (rank(one) > rank(worst) ? one : worst), first)
}

export const pass = (more_info: string): Judgement => ({ passing: true, severity: null, more_info })
export const fail = (severity: Severity, more_info: string): Judgement => ({
  passing: false,
  severity,
  more_info,
})

/** Rounds for display. */
export const round = (value: number) => roundTo(value, value >= 100 ? 0 : 1)

const MAX_DECIMALS = 6
const MAX_SIZE_DIGITS = 15

type Sided = Limits & { reverse: boolean }

/** Rounds for display, on the same side of each limit: 9.96 with a limit of 10 is 9.96, and not 10. */
export function roundBeside(limits: Sided, value: number): number {
  const severity = severityOf(limits, value)
  for (let decimals = value >= 100 ? 0 : 1; decimals <= MAX_DECIMALS; decimals += 1) {
    const rounded = roundTo(value, decimals)
    if (severityOf(limits, rounded) === severity) return rounded
  }
  const scale = 10 ** MAX_DECIMALS
  return (limits.reverse ? Math.floor(value * scale) : Math.ceil(value * scale)) / scale
}

/** A size for display, on the same side of each limit. Limits are bytes. */
export function formatSizeBeside(limits: Sided, bytes: number): string {
  const severity = severityOf(limits, bytes)
  for (let digits = 3; digits < MAX_SIZE_DIGITS; digits += 1) {
    const rounded = roundFileSize(bytes, digits)
    if (severityOf(limits, rounded.bytes) === severity) return rounded.text
  }
  return roundFileSize(bytes, MAX_SIZE_DIGITS).text
}

/** The only limit of a size, in megabytes; 0 = not set. */
export const sizeLimit = (megabytes: number): Sided => ({
  ...limitsOf({ warning_threshold: 0, error_threshold: megabytes * MB }),
  reverse: false,
})

export function firstLine(text: string): string | undefined {
  const lines = text.split('\n').map((line) => shownLine(line))
  return lines.find((line) => line !== '' && !line.startsWith('metric '))?.slice(0, 200)
}

export const MB = 1024 ** 2
export const GB = 1024 ** 3

/** Shortens external text to fit on one line. */
export const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text)

/** A value of a check over time. */
export interface SeriesValue {
  name: string
  value: number
  /** `%`, `B`, `ms`, `s` or a unit of a script; empty = a count. */
  unit: string
}
/** Prefix of script metrics, to separate them from built-in ones. */
export const METRIC_PREFIX = 'metric:'

/** A response time; empty without a response. */
export const responseTime = (ms: number | null): SeriesValue[] =>
  ms === null ? [] : [{ name: 'ms', value: roundTo(ms, 3), unit: 'ms' }]

export const percent = (name: string, share: number): SeriesValue => ({
  name,
  value: roundTo(share * 100, 2),
  unit: '%',
})

/** More digits than a graph shows would take most of the disk space of the history. */
export function roundTo(value: number, decimals: number): number {
  const scale = 10 ** decimals
  return Math.round(value * scale) / scale
}

/** The verdict and the stored values of one type of check, from its settings and its measurement. */
export interface CheckRule<Settings, Measured> {
  judge: (check: Settings, measured: Measured) => Judgement
  /** Values that are stored as a history, the most important one first. */
  series: (measured: Measured) => SeriesValue[]
}

export interface EntriesToJudge {
  fail_when: 'contains' | 'not_contains'
  number_of_events_b4_alert: number
  alert_severity: Severity
}
export interface FoundEntries {
  count: number
  is_whole: boolean
  entries: readonly { message: string }[]
}

/** Judges log entries. `when`: the searched time. */
export function judgeEntries(
  check: EntriesToJudge,
  { count, is_whole, entries }: FoundEntries,
  when: string,
): Judgement {
  const isFound = count >= check.number_of_events_b4_alert
  const newest = entries[0] === undefined ? undefined : firstLine(entries[0].message)
  const many = `${count === 0 ? 'No' : count} matching ${count === 1 ? 'entry' : 'entries'} ${when}`
  const info = newest === undefined ? many : `${many}, the newest: ${newest}`
  // Entries that were not read may match too.
  if (!isFound && !is_whole)
    return fail(check.alert_severity, `${many}, but only the newest part was read in time`)
  return isFound === (check.fail_when === 'contains') ? fail(check.alert_severity, info) : pass(info)
}

export const entrySeries = ({ count }: FoundEntries): SeriesValue[] => [
  { name: 'entries', value: count, unit: '' },
]
