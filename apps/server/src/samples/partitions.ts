import { sql } from 'kysely'
import type { Retention } from '@muster/rules/schedules/retention'
import type { Context } from '../context.ts'
import type { Db } from '../platform/database/database.ts'
import { readCoreSettings } from '../platform/config/core-settings.ts'
import { DeletionSteps } from '../platform/database/deletion-steps.ts'
import { windowOf } from './points.ts'
import { deleteSomeChunks, deleteTransitionsBefore, findSeriesAfter } from './queries.ts'

export const DAY = 86_400
/** Older samples are dropped on arrival: agents keep unsent samples for a week. */
export const ACCEPT_SECONDS = 7 * DAY
/** 0 = every sample, else seconds per point. */
const RESOLUTIONS = [0, 300, 3600] as const
export type Resolution = (typeof RESOLUTIONS)[number]
export type KeepSeconds = Record<Resolution, number>

/**
 * Time range of one chunk. A row much longer than a quarter of a database page (4 kB) wastes much of its page; a much
 * shorter one has too much overhead.
 */
export const WINDOW_SECONDS = { 0: 6 * 3600, 300: 12 * 3600, 3600: 6 * DAY } as const

/** Returns the current retention of samples and their means. */
export async function readKeep(db: Db): Promise<KeepSeconds> {
  return keepSecondsOf(await readCoreSettings(db))
}

/** Raw samples are kept one day longer, so that late samples can still be merged with their neighbours. */
function keepSecondsOf(kept: Retention): KeepSeconds {
  return {
    0: (kept.check_history_prune_days + 1) * DAY,
    300: kept.check_history_5min_prune_days * DAY,
    3600: kept.check_history_hourly_prune_days * DAY,
  }
}

/**
 * On PostgreSQL the chunks are partitioned by resolution and time (migration 0016): dropping a partition deletes old
 * rows at once, whatever their number. Creating and dropping need a lock that may have to wait and then blocks later
 * queries, so they give up soon and retry.
 */
const SPAN_SECONDS = { 0: DAY, 300: 7 * DAY, 3600: 30 * DAY } as const
const SPANS_AHEAD = 2
const LOCK_WAIT_MS = 30
const TRIES = 200
const PAUSE_MS = 100
const LOCK_NOT_AVAILABLE = '55P03'
/** An arbitrary number shared by all Muster servers: one process at a time creates or drops a partition. */
const ADVISORY_LOCK = 6_878_530_743

interface Part {
  resolution: Resolution
  from: number
}
type Partitioned = Pick<Context, 'db' | 'transaction'>

/** Creates the missing partitions of these chunks. */
export async function requirePartitions(
  ctx: Partitioned,
  chunks: readonly { resolution: number; start: number }[],
): Promise<void> {
  const there = new Set((await listParts(ctx.db)).map(nameOf))
  const missing = new Map<string, Part>()
  for (const chunk of chunks) {
    const part = partOf(chunk)
    if (!there.has(nameOf(part))) missing.set(nameOf(part), part)
  }
  for (const part of missing.values()) await makePart(ctx, part)
}

function makePartitionsAhead(ctx: Partitioned, now: number): Promise<void> {
  const starts = Array.from({ length: SPANS_AHEAD + 1 }, (_, index) => index)
  return requirePartitions(
    ctx,
    RESOLUTIONS.flatMap((resolution) =>
      starts.map((index) => ({ resolution, start: now + index * SPAN_SECONDS[resolution] })),
    ),
  )
}

/** Drops partitions that contain only older rows. */
async function dropPartitionsBefore(
  ctx: Partitioned,
  before: (resolution: Resolution) => number,
  signal: AbortSignal,
): Promise<void> {
  for (const part of await listParts(ctx.db)) {
    if (part.from + SPAN_SECONDS[part.resolution] > before(part.resolution)) continue
    signal.throwIfAborted()
    await changePartitions(ctx, async (tx) => {
      await sql`drop table if exists ${sql.table(nameOf(part))}`.execute(tx)
    })
  }
}

function partOf({ resolution, start }: { resolution: number; start: number }): Part {
  const known = RESOLUTIONS.find((one) => one === resolution)
  if (known === undefined) throw new Error(`unknown resolution: ${resolution} seconds`)
  return { resolution: known, from: windowOf(start, SPAN_SECONDS[known]) }
}

const nameOf = ({ resolution, from }: Part) => `sample_chunks_${resolution}_${from}`

async function listParts(db: Db): Promise<Part[]> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace
      and relname like 'sample\\_chunks\\_%'`.execute(db)
  return rows.flatMap(({ name }) => {
    const [, resolution, from] = /^sample_chunks_(\d+)_(\d+)$/.exec(name) ?? []
    const known = RESOLUTIONS.find((one) => one === Number(resolution))
    return known === undefined ? [] : [{ resolution: known, from: Number(from) }]
  })
}

/** Created separately and then attached, so that reads and writes continue. */
async function makePart(ctx: Partitioned, part: Part): Promise<void> {
  const parent = sql.table(`sample_chunks_${part.resolution}`)
  const name = sql.table(nameOf(part))
  await changePartitions(ctx, async (tx) => {
    if ((await listParts(tx)).some((one) => nameOf(one) === nameOf(part))) return
    await sql`create table ${name} (like ${parent} including all)`.execute(tx)
    await sql`alter table ${parent} attach partition ${name}
      for values from (${sql.lit(part.from)}) to (${sql.lit(part.from + SPAN_SECONDS[part.resolution])})`.execute(
      tx,
    )
  })
}

async function changePartitions(ctx: Partitioned, work: (tx: Db) => Promise<void>): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      await ctx.transaction(async (tx) => {
        await sql`set local lock_timeout = ${sql.lit(LOCK_WAIT_MS)}`.execute(tx)
        await sql`select pg_advisory_xact_lock(${sql.lit(ADVISORY_LOCK)})`.execute(tx)
        await work(tx)
      })
      return
    } catch (error) {
      if (tried === TRIES || !isLocked(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE
}

const SERIES_AT_ONCE = 200

type Pruning = Pick<Context, 'db' | 'transaction' | 'now' | 'engine' | 'log'>

/**
 * Deletes old chunks and check transitions in steps of some milliseconds, with other writers in between. Old partitions
 * are dropped as a whole. It can be interrupted; the next run deletes the rest.
 */
export async function pruneSamples(ctx: Pruning, signal: AbortSignal): Promise<void> {
  const now = Math.floor(ctx.now().getTime() / 1000)
  const keep = await readKeep(ctx.db)
  if (ctx.engine === 'postgres') {
    await makePartitionsAhead(ctx, now)
    await dropPartitionsBefore(ctx, (resolution) => now - keep[resolution], signal)
  }
  const steps = new DeletionSteps(ctx, signal)
  let after = 0
  for (;;) {
    const rows = await findSeriesAfter(ctx.db, after, SERIES_AT_ONCE)
    const last = rows.at(-1)
    if (last === undefined) break
    after = last.id
    const series = rows.map(({ id }) => id)
    if (ctx.engine === 'sqlite') await pruneChunks(steps, series, { now, keep })
    const checkIds = [...new Set(rows.flatMap(({ check_id }) => check_id ?? []))]
    const before = now - keep[3600]
    await steps.take((tx, limit) => deleteTransitionsBefore(tx, { checkIds, before, limit }))
  }
  ctx.log.info(steps.figures, 'old samples deleted')
}

async function pruneChunks(
  steps: DeletionSteps,
  series: number[],
  { now, keep }: { now: number; keep: KeepSeconds },
): Promise<void> {
  for (const resolution of RESOLUTIONS) {
    const before = now - keep[resolution] - WINDOW_SECONDS[resolution]
    await steps.take((tx, limit) => deleteSomeChunks(tx, resolution, { series, before, limit }))
  }
}
