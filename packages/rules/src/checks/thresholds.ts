import { type Limits, limitsOf, type Severity, severityOf } from './judgement.ts'

/** How long the message is shown as a toast; beside the field it stays. */
export const THRESHOLD_MESSAGE_MS = 2000

export type Thresholds = {
  /** 0 = not set. */
  warning: number
  /** 0 = not set. */
  error: number
  /** Free space (percent): the warning threshold is the larger one. */
  reverse?: boolean
}

/** The message for a pair of thresholds that cannot work; undefined if it can. */
export function validateThresholds({ warning, error, reverse = false }: Thresholds): string | undefined {
  return validateLimits({
    ...limitsOf({ warning_threshold: warning, error_threshold: error }),
    reverse,
  })
}

/** The same for thresholds of a metric, which may be 0 or negative. */
export function validateLimits({
  warning_threshold: warning,
  error_threshold: error,
  reverse,
}: Limits & { reverse: boolean }): string | undefined {
  if (warning === null && error === null) return 'Warning Threshold or Error Threshold need to be set'
  if (warning === null || error === null) return undefined
  if (reverse) return warning > error ? undefined : 'Warning Threshold must be more than Error Threshold'
  return warning < error ? undefined : 'Warning Threshold must be less than Error Threshold'
}

/** `[unix seconds, average, minimum, maximum]`; all three are the same for a raw sample. */
type PreviewPoint = readonly [number, number, number, number]

/** Points of one resolution, in order: 0 = every sample, otherwise the seconds that each point represents. */
interface PreviewPart {
  resolution: number
  points: readonly PreviewPoint[]
}

export interface PreviewSettings extends Limits {
  /** Values below fail. */
  reverse: boolean
  fails_b4_alert: number
  run_interval_seconds: number
}

interface PreviewFailure {
  from: number
  to: number
  severity: Severity
}

interface ThresholdPreview {
  /** How often the check would have started to fail. */
  alerts: number
  errorSeconds: number
  warningSeconds: number
  failures: PreviewFailure[]
  /** Time of the first value that is judged here; undefined = none. */
  since: number | undefined
}

/**
 * How thresholds would have judged past measurements; parts follow each other in time. A sample counts until the
 * next one, or for two intervals if none follows. For an average over minutes it is only known whether all values
 * were beyond the threshold, or at least one: that counts as all of its runs, or one. Adjacent failing averages are
 * one alert.
 */
export function previewThresholds(
  parts: readonly PreviewPart[],
  settings: PreviewSettings,
  untilSeconds: number,
): ThresholdPreview {
  const spans = parts.flatMap((part, index) => {
    const followedAt = parts.slice(index + 1).find(({ points }) => points.length > 0)?.points[0]?.[0]
    return judgeSpans(part, settings, followedAt ?? untilSeconds)
  })
  const preview: ThresholdPreview = {
    alerts: 0,
    errorSeconds: 0,
    warningSeconds: 0,
    failures: [],
    since: spans[0]?.from,
  }
  let failed = 0
  let isAlerting = false
  for (const { severity, runs, from, to } of spans) {
    failed = severity === null ? 0 : failed + runs
    if (severity === null) isAlerting = false
    if (severity === null || failed < settings.fails_b4_alert) continue
    if (!isAlerting) preview.alerts += 1
    isAlerting = true
    if (severity === 'error') preview.errorSeconds += to - from
    else preview.warningSeconds += to - from
    addFailure(preview.failures, { from, to, severity })
  }
  return preview
}

interface Span {
  severity: Severity | null
  /** Number of runs of the check that it represents. */
  runs: number
  from: number
  to: number
}

function judgeSpans({ resolution, points }: PreviewPart, settings: PreviewSettings, until: number): Span[] {
  const { run_interval_seconds: interval } = settings
  return points.map(([from, mean, least, most], index) => {
    const next = points[index + 1]?.[0] ?? until
    const asWhole = severityOf(settings, mean)
    const severity = asWhole ?? severityOf(settings, settings.reverse ? least : most)
    if (resolution === 0) return { severity, runs: 1, from, to: Math.min(next, from + 2 * interval) }
    const isPart = asWhole === null && severity !== null
    const seconds = isPart ? Math.min(interval, resolution) : resolution
    const runs = isPart ? 1 : Math.max(1, Math.floor(resolution / interval))
    return { severity, runs, from, to: Math.min(Math.max(next, from), from + seconds) }
  })
}

function addFailure(failures: PreviewFailure[], failure: PreviewFailure): void {
  const last = failures.at(-1)
  if (last?.severity === failure.severity && last.to === failure.from) last.to = failure.to
  else failures.push(failure)
}
