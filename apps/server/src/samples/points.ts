import { findDecimals, roundMean } from './numbers.ts'

/** `[unix seconds, value]` */
export type Sample = readonly [at: number, value: number]
/** `[unix seconds of the start, mean, minimum, maximum]` */
export type Point = readonly [start: number, mean: number, least: number, most: number]

export function windowOf(at: number, seconds: number): number {
  return Math.floor(at / seconds) * seconds
}

/** Merges two lists by time. Samples of the same second are one sample, because reports may be repeated. */
export function mergeSorted(some: readonly Sample[], others: readonly Sample[]): Sample[] {
  const bySecond = new Map<number, number>()
  for (const [at, value] of some) bySecond.set(at, value)
  for (const [at, value] of others) bySecond.set(at, value)
  return [...bySecond].toSorted(([a], [b]) => a - b)
}

/** Averages sorted samples into one point per span of `seconds`. Empty spans have no point. */
export function averageInto(samples: readonly Sample[], seconds: number): Point[] {
  const decimals = findDecimals(samples.map(([, value]) => value))
  return bucketsOf(samples, seconds).map(([start, group]) => {
    const values = group.map(([, value]) => value)
    const least = values.reduce((a, b) => Math.min(a, b))
    const most = values.reduce((a, b) => Math.max(a, b))
    return [start, meanOf(values, decimals, { least, most }), least, most]
  })
}

/** Merges sorted points into fewer points of longer spans. */
export function downsample(points: readonly Point[], seconds: number): Point[] {
  const decimals = findDecimals(points.map(([, mean]) => mean))
  return bucketsOf(points, seconds).map(([start, group]) => {
    const least = group.reduce((min, point) => Math.min(min, point[2]), Number.POSITIVE_INFINITY)
    const most = group.reduce((max, point) => Math.max(max, point[3]), Number.NEGATIVE_INFINITY)
    const means = group.map(([, mean]) => mean)
    return [start, meanOf(means, decimals, { least, most }), least, most]
  })
}

/** Replaces the points that start in the window by the fresh ones. */
export function replaceWindow(
  points: readonly Point[],
  window: { start: number; seconds: number },
  fresh: readonly Point[],
): Point[] {
  const end = window.start + window.seconds
  return [
    ...points.filter(([start]) => start < window.start),
    ...fresh,
    ...points.filter(([start]) => start >= end),
  ]
}

/** Adds those fresh points whose span has none yet. */
export function fillWindow(
  points: readonly Point[],
  _window: { start: number; seconds: number },
  fresh: readonly Point[],
): Point[] {
  const known = new Set(points.map(([start]) => start))
  return [...points, ...fresh.filter(([start]) => !known.has(start))].toSorted(([a], [b]) => a - b)
}

function bucketsOf<Item extends readonly [number, ...number[]]>(
  items: readonly Item[],
  seconds: number,
): [number, Item[]][] {
  return [...Map.groupBy(items, ([at]) => windowOf(at, seconds))]
}

function meanOf(
  values: readonly number[],
  decimals: number | undefined,
  { least, most }: { least: number; most: number },
): number {
  // Divided first: the sum of large numbers may overflow.
  const mean = values.reduce((sum, value) => sum + value / values.length, 0)
  return Math.min(most, Math.max(least, roundMean(mean, decimals)))
}
