import type { MeasuredValues } from './judge-check.ts'

/** A number of a check over time. */
export interface SeriesValue {
  name: string
  value: number
  /** `%`, `B`, `ms`, `s` or what a script says; empty = a count. */
  unit: string
}
/** Names of what scripts measure, apart from our own. */
export const METRIC_PREFIX = 'metric:'

/** The numbers of a measurement that are kept as a history, rounded, the most telling one first. */
export function seriesOf(measured: MeasuredValues): SeriesValue[] {
  switch (measured.check_type) {
    case 'unmeasurable':
      return []
    case 'diskspace': {
      if (!measured.exists || measured.total_bytes === 0) return []
      const free = [percent('free_percent', measured.free_bytes / measured.total_bytes)]
      const { inodes_total, inodes_free } = measured
      if (inodes_total !== null && inodes_free !== null && inodes_total > 0)
        free.push(percent('inodes_free_percent', inodes_free / inodes_total))
      return free
    }
    case 'cpuload':
      return [{ name: 'percent', value: round(measured.percent, 2), unit: '%' }]
    case 'memory': {
      const used = [{ name: 'percent', value: round(measured.percent, 2), unit: '%' }]
      if (measured.swap_percent !== null)
        used.push({ name: 'swap_percent', value: round(measured.swap_percent, 2), unit: '%' })
      return used
    }
    case 'ping': {
      const { sent, received, ms } = measured
      const loss = percent('loss_percent', sent === 0 ? 1 : (sent - received) / sent)
      return ms === null ? [loss] : [{ name: 'ms', value: round(ms, 3), unit: 'ms' }, loss]
    }
    case 'service':
      return [{ name: 'running', value: measured.state === 'running' ? 1 : 0, unit: '' }]
    case 'script':
      return [
        ...(measured.retcode === null ? [] : [{ name: 'retcode', value: measured.retcode, unit: '' }]),
        ...measured.metrics.map(({ name, value, unit }) => ({ name: METRIC_PREFIX + name, value, unit })),
      ]
    case 'process':
      return [
        { name: 'count', value: measured.count, unit: '' },
        { name: 'memory', value: measured.memory_bytes, unit: 'B' },
      ]
    case 'file':
      if (!measured.exists) return []
      return [
        { name: 'size', value: measured.size_bytes, unit: 'B' },
        { name: 'age', value: round(measured.age_seconds, 0), unit: 's' },
      ]
    case 'eventlog':
    case 'journal':
      return [{ name: 'entries', value: measured.count, unit: '' }]
    case 'http':
      return [
        ...answerTime(measured.ms),
        ...(measured.cert_days === null
          ? []
          : [{ name: 'cert_days', value: round(measured.cert_days, 2), unit: 'd' }]),
      ]
    case 'tcp':
    case 'dns':
      return answerTime(measured.ms)
  }
}

const answerTime = (ms: number | null): SeriesValue[] =>
  ms === null ? [] : [{ name: 'ms', value: round(ms, 3), unit: 'ms' }]

const percent = (name: string, share: number): SeriesValue => ({
  name,
  value: round(share * 100, 2),
  unit: '%',
})

/** More digits than can be read off a graph would cost most of the disk that the history takes. */
function round(value: number, decimals: number): number {
  const scale = 10 ** decimals
  return Math.round(value * scale) / scale
}
