import { type Kysely, sql } from 'kysely'
import type { Engine } from '../columns.ts'

export const name = '0016-chunks-by-time'
export const changesData = false

const DAY = 86_400
/** Seconds per partition, by resolution. samples/partitions.ts creates the later ones. */
const SPANS = { 0: DAY, 300: 7 * DAY, 3600: 30 * DAY }

/** On PostgreSQL, sample chunks are partitioned by time and old partitions are dropped. SQLite has no partitions. */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === 'sqlite') return
  await sql`alter table sample_chunks rename to sample_chunks_before`.execute(db)
  await sql`alter table sample_chunks_before drop constraint sample_chunks_key`.execute(db)
  await sql`create table sample_chunks (
    series_id integer not null references series (id) on delete cascade,
    resolution integer not null,
    start bigint not null,
    points bytea not null,
    constraint sample_chunks_key primary key (series_id, resolution, start)
  ) partition by list (resolution)`.execute(db)
  for (const [resolution, span] of Object.entries(SPANS)) {
    const parent = sql.table(`sample_chunks_${resolution}`)
    await sql`create table ${parent} partition of sample_chunks
      for values in (${sql.lit(Number(resolution))}) partition by range (start)`.execute(db)
    const { rows } = await sql<{
      from: number
    }>`select distinct start / ${sql.lit(span)} * ${sql.lit(span)} as from
      from sample_chunks_before where resolution = ${sql.lit(Number(resolution))}`.execute(db)
    for (const { from } of rows) {
      await sql`create table ${sql.table(`sample_chunks_${resolution}_${from}`)} partition of ${parent}
        for values from (${sql.lit(from)}) to (${sql.lit(from + span)})`.execute(db)
    }
  }
  await sql`insert into sample_chunks (series_id, resolution, start, points)
    select series_id, resolution, start, points from sample_chunks_before`.execute(db)
  await sql`drop table sample_chunks_before`.execute(db)
}
