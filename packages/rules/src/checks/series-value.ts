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
export const answerTime = (ms: number | null): SeriesValue[] =>
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
