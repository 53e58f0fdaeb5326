import type { Context } from '../context.ts'
import { decodeBatch, decodePoints, decodeSamples, encodePoints, encodeSamples } from './encoding.ts'
import { requirePartitions, WINDOW_SECONDS } from './partitions.ts'
import { averageInto, fillWindow, mergeSorted, replaceWindow, type Sample, windowOf } from './points.ts'
import {
  chunk,
  type ChunkRow,
  deleteBatches,
  findBatches,
  findChunksAt,
  findCrowdedMachines,
  findOldestBatches,
  upsertChunks,
} from './queries.ts'

const OLDEST_AT_ONCE = 200
const CROWDED_AT_ONCE = 100
const MACHINES_AT_ONCE = 10
/** Rows per transaction: some milliseconds, in which SQLite takes no other write. */
const ROWS_AT_ONCE = 150
const PAUSE_EVERY = 20

/**
 * Merges batches into chunks, for machines with old batches or many at once: a graph of a machine that was offline for
 * days should not decode all of them each time. All batches of a machine are merged together, so each series is written
 * once. The order is safe to interrupt: chunks are written first, in transactions of their own, then the batches are
 * deleted. Merging again changes nothing.
 */
export async function mergeSamples(
  ctx: Pick<Context, 'db' | 'transaction' | 'now' | 'engine'>,
  options: { olderThanSeconds: number; signal: AbortSignal },
): Promise<void> {
  for (;;) {
    const cutoff = ctx.now().getTime() / 1000 - options.olderThanSeconds
    const oldest = await findOldestBatches(ctx.db, OLDEST_AT_ONCE)
    const due = new Set(await findCrowdedMachines(ctx.db, CROWDED_AT_ONCE))
    for (const { agent, stored_at } of oldest) if (stored_at <= cutoff) due.add(agent)
    if (due.size === 0) return
    for (const agents of chunk([...due], MACHINES_AT_ONCE)) {
      options.signal.throwIfAborted()
      await mergeMachines(ctx, agents)
    }
  }
}

async function mergeMachines(
  ctx: Pick<Context, 'db' | 'transaction' | 'engine'>,
  agents: number[],
): Promise<void> {
  const batches = await findBatches(ctx.db, agents)
  const fresh = await readBatches(batches)
  for (const series of chunk([...fresh.keys()], PAUSE_EVERY)) {
    const merged = await mergeSeries(ctx, new Map(series.map((id) => [id, fresh.get(id) ?? []])))
    if (ctx.engine === 'postgres') await requirePartitions(ctx, merged)
    for (const rows of chunk(merged, ROWS_AT_ONCE)) await ctx.transaction((tx) => upsertChunks(tx, rows))
  }
  const ids = batches.map(({ id }) => id)
  for (const slice of chunk(ids, ROWS_AT_ONCE)) await deleteBatches(ctx.db, slice)
}

/** Decoding takes time, so other work runs in between. */
async function readBatches(batches: { samples: Uint8Array }[]): Promise<Map<number, Sample[]>> {
  const bySeries = new Map<number, Sample[]>()
  for (const slice of chunk(batches, PAUSE_EVERY * 10)) {
    for (const { series, at, value } of slice.flatMap(({ samples }) => decodeBatch(samples))) {
      const samples = bySeries.get(series)
      if (samples === undefined) bySeries.set(series, [[at, value]])
      else samples.push([at, value])
    }
    await new Promise(setImmediate)
  }
  return bySeries
}

async function mergeSeries({ db }: Pick<Context, 'db'>, fresh: Map<number, Sample[]>): Promise<ChunkRow[]> {
  const chunks = new ChunkSet()
  const starts = [...fresh.values()].flatMap((samples) =>
    samples.map(([at]) => windowOf(at, WINDOW_SECONDS[0])),
  )
  for (const resolution of [0, 300, 3600] as const) {
    const seconds = WINDOW_SECONDS[resolution]
    const keys = {
      series: [...fresh.keys()],
      starts: [...new Set(starts.map((start) => windowOf(start, seconds)))],
    }
    for (const row of await findChunksAt(db, resolution, keys)) chunks.known(row)
  }
  for (const [series, samples] of fresh) {
    for (const [start, inWindow] of Map.groupBy(samples, ([at]) => windowOf(at, WINDOW_SECONDS[0]))) {
      const raw = chunks.bytes(series, 0, start)
      const all = mergeSorted(decodeSamples(start, raw ?? NOTHING), inWindow)
      // Without the raw samples of existing means, late samples only fill gaps.
      const putIn = raw === undefined ? fillWindow : replaceWindow
      chunks.write(series, 0, start, encodeSamples(start, all))
      for (const resolution of [300, 3600] as const) {
        const chunkStart = windowOf(start, WINDOW_SECONDS[resolution])
        const known = chunks.bytes(series, resolution, chunkStart) ?? NOTHING
        const points = putIn(
          decodePoints(chunkStart, resolution, known),
          { start, seconds: WINDOW_SECONDS[0] },
          averageInto(all, resolution),
        )
        chunks.write(series, resolution, chunkStart, encodePoints(chunkStart, resolution, points))
      }
    }
  }
  await new Promise(setImmediate)
  return chunks.written
}

/** The encoding of an empty list. */
const NOTHING = encodeSamples(0, [])

/** Chunks by key, and which of them are new. */
class ChunkSet {
  #rows = new Map<string, ChunkRow>()
  #written = new Set<string>()

  get written(): ChunkRow[] {
    // Every written key has a row.
    return Array.from(this.#written, (key) => this.#rows.get(key)!)
  }

  known(row: ChunkRow): void {
    this.#rows.set(`${row.series_id} ${row.resolution} ${row.start}`, row)
  }

  bytes(series: number, resolution: number, start: number): Uint8Array | undefined {
    return this.#rows.get(`${series} ${resolution} ${start}`)?.points
  }

  write(series_id: number, resolution: number, start: number, points: Uint8Array): void {
    const key = `${series_id} ${resolution} ${start}`
    this.#rows.set(key, { series_id, resolution, start, points })
    this.#written.add(key)
  }
}
