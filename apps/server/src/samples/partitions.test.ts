import { sql, type Transaction } from 'kysely'
import { expect, test } from 'vitest'
import { chunksByTime } from '../platform/database/migrations/0010-to-0024.ts'
import type { TestServer } from '../testing/test-server.ts'
import { requirePartitions } from './partitions.ts'
import { countChunks, DAY, givenMeasuring, merge, NOW, prune, sawTooth } from './test-samples.ts'

/** Names of the partitions of a resolution. Empty on SQLite. */
async function listParts({ ctx }: TestServer, resolution: number): Promise<string[]> {
  if (ctx.engine === 'sqlite') return []
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relkind = 'r' and relname like ${`sample\\_chunks\\_${resolution}\\_%`} order by relname`.execute(
    ctx.db,
  )
  return rows.map(({ name }) => name)
}

const readChunks = ({ ctx }: TestServer) =>
  ctx.db
    .selectFrom('sample_chunks')
    .select(['series_id', 'resolution', 'start'])
    .orderBy('series_id')
    .orderBy('resolution')
    .orderBy('start')
    .execute()

test('partitions are created ahead of time, and old ones are dropped', async () => {
  await using given = await givenMeasuring()
  const { server, cpu } = given
  const isCut = server.ctx.engine === 'postgres'
  await cpu(...sawTooth(6 * DAY))
  await merge(server)
  expect(await listParts(server, 0)).toHaveLength(isCut ? 7 : 0)
  await prune(server)
  expect(await listParts(server, 0)).toHaveLength(isCut ? 9 : 0)
  expect(await listParts(server, 300)).toHaveLength(isCut ? 4 : 0)
  expect(await listParts(server, 3600)).toHaveLength(isCut ? 3 : 0)
  server.clock.advance(20 * DAY)
  await prune(server)
  // Today and two days ahead.
  expect(await listParts(server, 0)).toHaveLength(isCut ? 3 : 0)
  expect((await countChunks(server))[0]).toBe(0)
  // The clock goes back: times without a partition get one.
  server.clock.freeze(new Date(NOW * 1000).toISOString())
  await cpu([NOW - 30, 5])
  await merge(server)
  expect((await countChunks(server))[0]).toBe(1)
})

test('chunks stored before the table was partitioned are moved', async () => {
  await using given = await givenMeasuring()
  const { server, cpu, graph } = given
  const { db, engine } = server.ctx
  await cpu(...sawTooth(2 * DAY))
  await merge(server)
  const before = await readChunks(server)
  const shown = await graph(NOW - 3 * DAY, NOW)
  if (engine === 'postgres') await putInOneTable(server)
  // `as`: a migration uses the schema of its own version.
  await db.transaction().execute((tx) => chunksByTime.up(tx as unknown as Transaction<unknown>, engine))
  expect(await readChunks(server)).toEqual(before)
  expect(await graph(NOW - 3 * DAY, NOW)).toEqual(shown)
  await cpu([NOW - 30, 5])
  await merge(server)
  await prune(server)
  await db.deleteFrom('checks').execute()
  expect(await countChunks(server)).toEqual([0, 0, 0])
})

/** As created by migration 0002. */
async function putInOneTable({ ctx: { db } }: TestServer): Promise<void> {
  await sql`create table kept as select * from sample_chunks`.execute(db)
  await sql`drop table sample_chunks`.execute(db)
  await sql`create table sample_chunks (
    series_id integer not null references series (id) on delete cascade,
    resolution integer not null, start bigint not null, points bytea not null,
    constraint sample_chunks_key primary key (series_id, resolution, start))`.execute(db)
  await sql`insert into sample_chunks select * from kept`.execute(db)
  await sql`drop table kept`.execute(db)
}

test('a partition in use is dropped later, and nothing waits for it', async () => {
  await using given = await givenMeasuring()
  const { server, cpu } = given
  const { ctx } = server
  await cpu(...sawTooth(2 * DAY))
  await merge(server)
  const [chunk] = await ctx.db.selectFrom('sample_chunks').selectAll().where('resolution', '=', 0).execute()
  if (chunk === undefined) throw new Error('nothing was merged')
  server.clock.advance(20 * DAY)
  const start = NOW + 20 * DAY - (NOW % DAY)
  const isCut = ctx.engine === 'postgres'
  if (isCut) await requirePartitions(ctx, [{ resolution: 0, start }])
  const held = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  // On SQLite an open transaction blocks everything else.
  if (!isCut) finish.resolve()
  const holding = ctx.transaction(async (tx) => {
    const { points } = chunk
    await tx.updateTable('sample_chunks').set({ points }).where('start', '=', chunk.start).execute()
    held.resolve()
    await finish.promise
  })
  await held.promise
  let pruned = false
  const pruning = prune(server).then(() => (pruned = true))
  for (let round = 0; round < 20; round += 1) {
    const { series_id, points } = chunk
    await ctx.transaction(async (tx) => {
      await tx.deleteFrom('sample_chunks').where('start', '=', start).where('resolution', '=', 0).execute()
      await tx.insertInto('sample_chunks').values({ series_id, resolution: 0, start, points }).execute()
    })
    await ctx.db.selectFrom('sample_chunks').select('start').where('resolution', '=', 0).execute()
  }
  if (isCut) expect(pruned).toBe(false)
  finish.resolve()
  await holding
  await pruning
  expect((await countChunks(server))[0]).toBe(1)
})

test('clean-ups at the same time drop each partition once', async () => {
  await using given = await givenMeasuring()
  const { server, cpu } = given
  for (let round = 1; round <= 5; round += 1) {
    const now = NOW + round * 20 * DAY
    server.clock.freeze(new Date(now * 1000).toISOString())
    await cpu(...Array.from({ length: 5 }, (_, day): [number, number] => [now - day * DAY - 60, 5]))
    await merge(server)
    server.clock.advance(20 * DAY)
    await Promise.all([prune(server), prune(server), prune(server)])
    expect(await listParts(server, 0)).toHaveLength(server.ctx.engine === 'postgres' ? 3 : 0)
    expect((await countChunks(server))[0]).toBe(0)
  }
})
