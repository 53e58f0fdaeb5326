import { forecastReached, HORIZON_DAYS } from '@muster/rules/agents/disk-forecast'
import { formatDate } from '../../ui/layout/date-format.ts'
import type { SeriesThresholds } from './check-thresholds.ts'
import type { TimeRange } from './graph-data.ts'
import type { GraphForecast } from './graph-marks.ts'

const DAY = 86_400
/** So much of a range may be added for the future. */
const MAX_AHEAD = 0.6

/** `points` are the percentage that is free. */
export function forecastOf(
  { points, now }: { points: readonly (readonly [number, number, ...unknown[]])[]; now: number },
  thresholds: Pick<SeriesThresholds, 'warning_threshold' | 'error_threshold'> | undefined,
): GraphForecast | undefined {
  const last = points.at(-1)
  if (last === undefined) return undefined
  const [, free] = last
  const next = [
    { severity: 'warning' as const, value: thresholds?.warning_threshold ?? 0, word: 'warning' },
    { severity: 'error' as const, value: thresholds?.error_threshold ?? 0, word: 'error' },
  ].find(({ value }) => value > 0 && value < free)
  const { severity, value, word } = next ?? { severity: 'error' as const, value: 0, word: 'full' }
  const used = points.map(([at, percent]) => [at, 100 - percent] as const)
  const at = forecastReached(used, 100 - value, now)
  if (at === undefined) return undefined
  return {
    from: [last[0], free],
    to: [at, value],
    severity,
    label: `${word} on ${formatDate(at, 'ddd, MMM D')}`,
  }
}

/** The range with room for its forecast. The line leaves it where the end is too far away. */
export function withForecast({ from, to }: TimeRange, forecast: GraphForecast | undefined): TimeRange {
  if (forecast === undefined) return { from, to }
  const ahead = Math.min(forecast.to[0] - to, (to - from) * MAX_AHEAD, HORIZON_DAYS * DAY)
  return { from, to: to + Math.max(0, Math.round(ahead)) }
}
