import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db } from '../platform/database/database.ts'
import type {
  SampleBatchesTable,
  SampleChunksTable,
  SeriesTable,
} from '../platform/database/tables/checks.ts'
import type { Resolution } from './partitions.ts'

export type SeriesRow = Selectable<SeriesTable>
export type ChunkRow = Insertable<SampleChunksTable>

/** Rows per statement. Equal statements are prepared once. */
export const SLICE = 250

export async function findSeries(db: Db, checkIds: number[]): Promise<SeriesRow[]> {
  const found: SeriesRow[] = []
  for (const ids of chunk(checkIds, SLICE)) {
    found.push(
      ...(await db.selectFrom('series').selectAll().where('check_id', 'in', ids).orderBy('id').execute()),
    )
  }
  return found
}

/** Series that belong to machines, not to checks. */
export async function findMachineSeries(db: Db, agentIds: string[]): Promise<SeriesRow[]> {
  const found: SeriesRow[] = []
  for (const ids of chunk(agentIds, SLICE)) {
    const rows = db.selectFrom('series').selectAll().where('agent_id', 'in', ids)
    found.push(...(await rows.where('check_id', 'is', null).orderBy('id').execute()))
  }
  return found
}

/** Adds missing series. */
export async function insertSeries(tx: Db, rows: Insertable<SeriesTable>[]): Promise<void> {
  for (const slice of chunk(rows, SLICE)) {
    await tx
      .insertInto('series')
      .values(slice)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

export async function insertBatches(tx: Db, rows: Insertable<SampleBatchesTable>[]): Promise<void> {
  for (const slice of chunk(rows, SLICE)) await tx.insertInto('sample_batches').values(slice).execute()
}

/** The machines with the oldest batches. */
export async function findOldestBatches(
  db: Db,
  limit: number,
): Promise<{ agent: number; stored_at: number }[]> {
  return db.selectFrom('sample_batches').select(['agent', 'stored_at']).orderBy('id').limit(limit).execute()
}

/** Machines with many batches. The index has this exact condition and holds only these. */
export async function findCrowdedMachines(db: Db, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('sample_batches')
    .select('agent')
    .distinct()
    .where(sql<boolean>`length(samples) > 4000`)
    .limit(limit)
    .execute()
  return rows.map(({ agent }) => agent)
}

export function findBatches(db: Db, agents: number[]): Promise<{ id: number; samples: Uint8Array }[]> {
  return db.selectFrom('sample_batches').select(['id', 'samples']).where('agent', 'in', agents).execute()
}

export async function deleteBatches(db: Db, ids: number[]): Promise<void> {
  await db.deleteFrom('sample_batches').where('id', 'in', ids).execute()
}

/** Chunks of these series with these start times. */
export function findChunksAt(
  db: Db,
  resolution: Resolution,
  keys: { series: number[]; starts: number[] },
): Promise<ChunkRow[]> {
  return db
    .selectFrom('sample_chunks')
    .selectAll()
    .where('series_id', 'in', keys.series)
    .where('resolution', '=', resolution)
    .where('start', 'in', keys.starts)
    .execute()
}

/** Chunks of these series with a start in a time range, sorted by time. */
export function findChunks(
  db: Db,
  resolution: Resolution,
  range: { series: number[]; from: number; to: number },
): Promise<ChunkRow[]> {
  return db
    .selectFrom('sample_chunks')
    .selectAll()
    .where('series_id', 'in', range.series)
    .where('resolution', '=', resolution)
    .where('start', '>', range.from)
    .where('start', '<=', range.to)
    .orderBy('start')
    .execute()
}

/** Writes or replaces chunks. Those of deleted series are skipped. */
export async function upsertChunks(tx: Db, rows: ChunkRow[]): Promise<void> {
  const ids = [...new Set(rows.map(({ series_id }) => series_id))]
  const known = await tx.selectFrom('series').select('id').where('id', 'in', ids).execute()
  const there = new Set(known.map(({ id }) => id))
  const kept = rows.filter(({ series_id }) => there.has(series_id))
  for (const slice of chunk(kept, SLICE)) {
    await tx
      .insertInto('sample_chunks')
      .values(slice)
      .onConflict((conflict) =>
        conflict
          .columns(['series_id', 'resolution', 'start'])
          .doUpdateSet((eb) => ({ points: eb.ref('excluded.points') })),
      )
      .execute()
  }
}

export async function findSeriesAfter(db: Db, id: number, limit: number): Promise<SeriesRow[]> {
  return db.selectFrom('series').selectAll().where('id', '>', id).orderBy('id').limit(limit).execute()
}

/** SQLite only. Returns the number of deleted rows: fewer than the limit means that none are left. */
export async function deleteSomeChunks(
  tx: Db,
  resolution: Resolution,
  { series, before, limit }: { series: number[]; before: number; limit: number },
): Promise<number> {
  const result = await tx
    .deleteFrom('sample_chunks')
    .where(
      sql<boolean>`rowid in (select rowid from sample_chunks where series_id in (${sql.join(series)})
        and resolution = ${resolution} and start < ${before} limit ${limit})`,
    )
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}

/** The last transition before the time stays: it holds the state of the check at that time. */
export async function deleteTransitionsBefore(
  tx: Db,
  { checkIds, before, limit }: { checkIds: number[]; before: number; limit: number },
): Promise<number> {
  if (checkIds.length === 0) return 0
  const result = await tx
    .deleteFrom('check_transitions')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('check_transitions as old')
        .select('old.id')
        .where('old.check_id', 'in', checkIds)
        .where('old.at', '<', before)
        .where(
          sql<boolean>`exists (select 1 from check_transitions as later where later.check_id = old.check_id and later.at > old.at and later.at < ${before})`,
        )
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}

export function chunk<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
}
