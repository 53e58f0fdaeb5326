import type { Db } from '../platform/database/database.ts'
import { decodeBatch, decodePoints, decodeSamples } from './encoding.ts'
import { type Resolution, WINDOW_SECONDS } from './keep.ts'
import { fillWindow, joinSamples, type Point, replaceWindow, type Sample, sumUp, windowOf } from './points.ts'
import { findBatches, findChunks, findChunksAt } from './queries.ts'

export interface Range {
  from: number
  to: number
}

/** Samples of a machine that are in no chunk yet, by series. */
export async function readFresh(db: Db, agent: number, series: number[]): Promise<Map<number, Sample[]>> {
  const wanted = new Map<number, Sample[]>(series.map((id) => [id, []]))
  for (const { samples } of await findBatches(db, [agent])) {
    for (const { series: id, at, value } of decodeBatch(samples)) wanted.get(id)?.push([at, value])
  }
  return wanted
}

/** Every sample of these series between two moments, chunks and fresh ones together. */
export async function readSamples(
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
      return [id, joinSamples(stored, samples).filter(([at]) => at >= from && at <= to)]
    }),
  )
}

/** Means of 5 minutes or an hour between two moments; those of the fresh samples are made as merging makes them. */
export async function readPoints(
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
      const fresh = sumUp(joinSamples(stored, inWindow), resolution)
      points = (raw.length === 0 ? fillWindow : replaceWindow)(points, window, fresh)
    }
    found.set(
      id,
      points.filter(([start]) => start + resolution > from && start <= to),
    )
  }
  return found
}
