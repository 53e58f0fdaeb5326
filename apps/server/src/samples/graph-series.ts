import type { CheckSamples } from '@muster/contract/checks/check-samples'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../context.ts'
import type { Db } from '../platform/database/database.ts'
import { DAY, type KeepSeconds, readKeep, type Resolution, WINDOW_SECONDS } from './partitions.ts'
import {
  fillWindow,
  mergeSorted,
  type Point,
  replaceWindow,
  type Sample,
  averageInto,
  downsample,
  windowOf,
} from './points.ts'
import { findBatches, findChunks, findChunksAt, type SeriesRow } from './queries.ts'
import { decodeBatch, decodePoints, decodeSamples } from './encoding.ts'

type Points = CheckSamples['series'][number]['points']

/** Maximum per series without a requested resolution. */
const MAX_POINTS = 2000
/** Maximum over all series with a requested resolution. */
const MAX_REQUESTED_POINTS = 200_000
const STEPS = [300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, DAY, 7 * DAY]

/** The values of these series of a machine in a time range. */
export async function graphSeries(
  ctx: Pick<Context, 'db' | 'now'>,
  { agent, rows }: { agent: number; rows: readonly SeriesRow[] },
  query: Range & { resolution?: Resolution | undefined },
): Promise<Pick<CheckSamples, 'resolution' | 'series'>> {
  const keep = await readKeep(ctx.db)
  const { range, now } = rangeWithin(ctx, query, keep)
  const series = rows.map(({ id }) => id)
  if (series.length === 0 || range.to < range.from) return { resolution: query.resolution ?? 0, series: [] }
  const fresh = await readFresh(ctx.db, agent, series)
  const { resolution, pointsOf } = await readRange(ctx, fresh, {
    ...range,
    resolution: query.resolution,
    now,
    keep,
  })
  return { resolution, series: rows.map(({ id, name, unit }) => ({ name, unit, points: pointsOf(id) })) }
}

/** Limits the range to the time with data. */
export function rangeWithin(
  ctx: Pick<Context, 'now'>,
  query: Range,
  keep: KeepSeconds,
): { range: Range; now: number } {
  if (query.to < query.from) {
    throw new AppError('invalid', 'The time range ends before it starts. Swap its ends.', {
      fields: { to: ['Choose a time after "from".'] },
    })
  }
  const now = Math.floor(ctx.now().getTime() / 1000)
  const from = Math.max(query.from, now - keep[3600] - DAY)
  return { range: { from, to: Math.min(query.to, now + DAY) }, now }
}

type Reading = { resolution: number; pointsOf: (series: number) => Points }

async function readRange(
  { db }: Pick<Context, 'db'>,
  fresh: Map<number, Sample[]>,
  {
    now,
    keep,
    resolution,
    ...range
  }: Range & { now: number; keep: KeepSeconds; resolution: Resolution | undefined },
): Promise<Reading> {
  if (resolution === 0 || (resolution === undefined && mayBeWhole(range, now - keep[0]))) {
    const found = await readSamples(db, fresh, range)
    const counts = [...found.values()].map(({ length }) => length)
    if (resolution === 0) refuseTooMany(counts)
    if (resolution === 0 || Math.max(...counts) <= MAX_POINTS) {
      return {
        resolution: 0,
        pointsOf: (id) => (found.get(id) ?? []).map(([at, value]) => [at, value, value, value]),
      }
    }
  }
  const step = resolution ?? stepFor(range, now - keep[300])
  const stored = step < 3600 ? 300 : 3600
  const found = await readPoints(db, fresh, { ...range, resolution: stored })
  if (resolution !== undefined) refuseTooMany([...found.values()].map(({ length }) => length))
  return {
    resolution: step,
    pointsOf: (id) => writable(found.get(id) ?? [], step === stored ? undefined : step),
  }
}

/**
 * True if every sample of a check that runs every ten seconds fits on the graph, or if all samples are still stored.
 */
function mayBeWhole({ from, to }: Range, keptFrom: number): boolean {
  return from >= keptFrom && to - from <= 3 * DAY
}

function stepFor({ from, to }: Range, keptFrom: number): number {
  const least = from >= keptFrom ? 300 : 3600
  const step = STEPS.find((seconds) => seconds >= least && (to - from) / seconds < MAX_POINTS - 1)
  return step ?? 7 * DAY
}

function writable(points: Point[], step: number | undefined): Points {
  const chosen = step === undefined ? points : downsample(points, step)
  return chosen.map(([start, mean, least, most]) => [start, mean, least, most])
}

function refuseTooMany(counts: number[]): void {
  if (counts.reduce((sum, count) => sum + count, 0) <= MAX_REQUESTED_POINTS) return
  throw new AppError('invalid', 'The range has too many points. Choose a shorter one.', {
    fields: { from: ['Later.'] },
  })
}

export interface Range {
  from: number
  to: number
}

/** Samples of a machine that are not in chunks yet, by series. */
async function readFresh(db: Db, agent: number, series: number[]): Promise<Map<number, Sample[]>> {
  const wanted = new Map<number, Sample[]>(series.map((id) => [id, []]))
  for (const { samples } of await findBatches(db, [agent])) {
    for (const { series: id, at, value } of decodeBatch(samples)) wanted.get(id)?.push([at, value])
  }
  return wanted
}

/** All samples of these series in a time range, from chunks and fresh batches. */
async function readSamples(
  db: Db,
  fresh: Map<number, Sample[]>,
  { from, to }: Range,
): Promise<Map<number, Sample[]>> {
  const series = [...fresh.keys()]
  const rows = await findChunks(db, 0, { series, from: from - WINDOW_SECONDS[0], to })
  const bySeries = Map.groupBy(rows, ({ series_id }) => series_id)
  return new Map(
    Array.from(fresh, ([id, samples]) => {
      const stored = (bySeries.get(id) ?? []).flatMap(({ start, points }) => decodeSamples(start, points))
      return [id, mergeSorted(stored, samples).filter(([at]) => at >= from && at <= to)]
    }),
  )
}

/** Means of 5 minutes or an hour in a time range. Fresh samples are averaged as merging does. */
async function readPoints(
  db: Db,
  waiting: Map<number, Sample[]>,
  { resolution, from, to }: Range & { resolution: Exclude<Resolution, 0> },
): Promise<Map<number, Point[]>> {
  const series = [...waiting.keys()]
  const rows = await findChunks(db, resolution, { series, from: from - WINDOW_SECONDS[resolution], to })
  const bySeries = Map.groupBy(rows, ({ series_id }) => series_id)
  const found = new Map<number, Point[]>()
  for (const [id, samples] of waiting) {
    let points = (bySeries.get(id) ?? []).flatMap((row) => decodePoints(row.start, resolution, row.points))
    const starts = new Set(samples.map(([at]) => windowOf(at, WINDOW_SECONDS[0])))
    for (const start of [...starts].toSorted((a, b) => a - b)) {
      if (start > to || start + WINDOW_SECONDS[0] <= from) continue
      const window = { start, seconds: WINDOW_SECONDS[0] }
      const raw = await findChunksAt(db, 0, { series: [id], starts: [start] })
      const stored = raw.flatMap((row) => decodeSamples(row.start, row.points))
      const inWindow = samples.filter(([at]) => windowOf(at, window.seconds) === start)
      const fresh = averageInto(mergeSorted(stored, inWindow), resolution)
      points = (raw.length === 0 ? fillWindow : replaceWindow)(points, window, fresh)
    }
    found.set(
      id,
      points.filter(([start]) => start + resolution > from && start <= to),
    )
  }
  return found
}
