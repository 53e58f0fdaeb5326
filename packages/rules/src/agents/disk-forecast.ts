/**
 * When a disk is full, if it goes on as in the last week. The slope is the median of the slopes between any two of its
 * six-hour means, so that one deleted or copied file, which is not a trend, does not move it.
 */

/** `[unix seconds, percent used]` */
export type DiskPoint = readonly [at: number, used: number]

const HOUR = 3600
const DAY = 24 * HOUR
const SPAN_SECONDS = 7 * DAY
const BUCKET_SECONDS = 6 * HOUR
/** Less is not a trend. */
const MIN_HISTORY_SECONDS = 2 * DAY
/** An older last value does not describe the disk. */
const MAX_AGE_SECONDS = DAY
/** Later is not worth a line. */
export const HORIZON_DAYS = 30

/** Unix seconds, not before now; undefined if the disk is not full within 30 days. `points` are sorted by time. */
export function forecastFull(points: readonly DiskPoint[], now: number): number | undefined {
  return forecastReached(points, 100, now)
}

/** When so many percent are used: as `forecastFull`. */
export function forecastReached(
  points: readonly DiskPoint[],
  percent: number,
  now: number,
): number | undefined {
  const last = points.at(-1)
  if (last === undefined || last[0] < now - MAX_AGE_SECONDS) return undefined
  const means = averageBuckets(points.filter(([at]) => at > last[0] - SPAN_SECONDS))
  const first = means[0]
  if (first === undefined || last[0] - first[0] < MIN_HISTORY_SECONDS) return undefined
  const slope = medianSlope(means)
  if (!(slope > 0)) return undefined
  const reachedAt = last[0] + Math.max(0, percent - last[1]) / slope
  return reachedAt > now + HORIZON_DAYS * DAY ? undefined : Math.max(now, Math.round(reachedAt))
}

/** How urgent it is: within a week, within three weeks, or later. */
export function forecastTone(fullAt: number, now: number): 'negative' | 'warning' | undefined {
  if (fullAt <= now + 7 * DAY) return 'negative'
  return fullAt <= now + 21 * DAY ? 'warning' : undefined
}

function averageBuckets(points: readonly DiskPoint[]): DiskPoint[] {
  const buckets = Map.groupBy(points, ([at]) => Math.floor(at / BUCKET_SECONDS))
  return Array.from(buckets.values(), (group) => [
    group.reduce((sum, [at]) => sum + at / group.length, 0),
    group.reduce((sum, [, used]) => sum + used / group.length, 0),
  ])
}

/** Percent per second. */
function medianSlope(points: readonly DiskPoint[]): number {
  const slopes = points
    .flatMap(([at, used], index) =>
      points.slice(index + 1).map(([later, then]) => (then - used) / (later - at)),
    )
    .toSorted((a, b) => a - b)
  return slopes[Math.floor((slopes.length - 1) / 2)] ?? 0
}
