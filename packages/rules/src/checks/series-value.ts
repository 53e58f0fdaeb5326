/** A number of a check over time. */
export interface SeriesValue {
  name: string
  value: number
  /** `%`, `B`, `ms`, `s` or what a script says; empty = a count. */
  unit: string
}
/** Names of what scripts measure, apart from our own. */
export const METRIC_PREFIX = 'metric:'

/** How long something took to answer; nothing where it did not. */
export const answerTime = (ms: number | null): SeriesValue[] =>
  ms === null ? [] : [{ name: 'ms', value: roundTo(ms, 3), unit: 'ms' }]

export const percent = (name: string, share: number): SeriesValue => ({
  name,
  value: roundTo(share * 100, 2),
  unit: '%',
})

/** More digits than can be read off a graph would cost most of the disk that the history takes. */
export function roundTo(value: number, decimals: number): number {
  const scale = 10 ** decimals
  return Math.round(value * scale) / scale
}
