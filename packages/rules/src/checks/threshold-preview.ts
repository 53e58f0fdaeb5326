import { type Severity, severityOf } from './judgement.ts'

/** `[unix seconds, mean, least, most]`; of a raw sample all three are the same. */
export type PreviewPoint = readonly [number, number, number, number]

/** Points of one resolution, in order: 0 = every sample, else the seconds that each point stands for. */
export interface PreviewPart {
  resolution: number
  points: readonly PreviewPoint[]
}

export interface PreviewSettings {
  /** 0 = not set. */
  warning_threshold: number
  error_threshold: number
  /** What is below fails. */
  reverse: boolean
  fails_b4_alert: number
  run_interval_seconds: number
}

export interface PreviewFailure {
  from: number
  to: number
  severity: Severity
}

export interface ThresholdPreview {
  /** How often the check would have begun to fail. */
  alerts: number
  errorSeconds: number
  warningSeconds: number
  failures: PreviewFailure[]
  /** When the first of what is judged here was measured; undefined = nothing was. */
  since: number | undefined
}

/**
 * What thresholds would have done to what was measured already; parts follow each other in time. A sample holds until
 * the next one, or for two intervals where none follows. Of a mean over minutes it is known only whether it was beyond
 * as a whole, or at least once: that counts as all of its runs, or one; failing means next to each other are one alert.
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
  /** How many runs of the check it stands for. */
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
