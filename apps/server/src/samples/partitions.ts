import { sql } from 'kysely'
import type { Context } from '../context.ts'
import type { Db } from '../platform/database/database.ts'
import { DAY, type Resolution, RESOLUTIONS } from './keep.ts'
import { windowOf } from './points.ts'

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
/** An arbitrary number shared by all Muster servers: one process at a time creates a partition. */
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

export function makePartitionsAhead(ctx: Partitioned, now: number): Promise<void> {
  const starts = Array.from({ length: SPANS_AHEAD + 1 }, (_, index) => index)
  return requirePartitions(
    ctx,
    RESOLUTIONS.flatMap((resolution) =>
      starts.map((index) => ({ resolution, start: now + index * SPAN_SECONDS[resolution] })),
    ),
  )
}

/** Drops partitions that contain only older rows. */
export async function dropPartitionsBefore(
  ctx: Partitioned,
  before: (resolution: Resolution) => number,
  signal: AbortSignal,
): Promise<void> {
  for (const part of await listParts(ctx.db)) {
    if (part.from + SPAN_SECONDS[part.resolution] > before(part.resolution)) continue
    signal.throwIfAborted()
    await withShortLocks(ctx, async (tx) => {
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
  await withShortLocks(ctx, async (tx) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(ADVISORY_LOCK)})`.execute(tx)
    if ((await listParts(tx)).some((one) => nameOf(one) === nameOf(part))) return
    await sql`create table ${name} (like ${parent} including all)`.execute(tx)
    await sql`alter table ${parent} attach partition ${name}
      for values from (${sql.lit(part.from)}) to (${sql.lit(part.from + SPAN_SECONDS[part.resolution])})`.execute(
      tx,
    )
  })
}

async function withShortLocks(ctx: Partitioned, work: (tx: Db) => Promise<void>): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      await ctx.transaction(async (tx) => {
        await sql`set local lock_timeout = ${sql.lit(LOCK_WAIT_MS)}`.execute(tx)
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
