import { editCoreSettings } from '@muster/contract/api/settings'
import { expect, test } from 'vitest'
import type { TestServer } from '../testing/test-server.ts'
import { chunk } from './queries.ts'
import { countChunks, DAY, givenMeasuring, merge, NOW, prune, sawTooth } from './test-samples.ts'

/** A check that failed and recovered this often, too long ago. */
async function givenOldTransitions(
  { server, check }: Awaited<ReturnType<typeof givenMeasuring>>,
  count: number,
) {
  const { agent_id, id: check_id } = check
  const from = NOW - 800 * DAY
  const rows = Array.from({ length: count }, (_, index) => ({
    agent_id,
    check_id,
    at: from + index,
    severity: index % 2 === 0 ? ('error' as const) : null,
  }))
  for (const slice of chunk(rows, 1000))
    await server.ctx.db.insertInto('check_transitions').values(slice).execute()
}

async function countTransitions({ ctx }: TestServer): Promise<number> {
  return (await ctx.db.selectFrom('check_transitions').select('id').execute()).length
}

test('changed retention days apply at once', async () => {
  await using given = await givenMeasuring()
  const { server, cpu, root, graph } = given
  await server.ctx.jobs.drain()
  await cpu(...sawTooth(6 * DAY))
  await merge(server)
  const means = await graph(NOW - 30 * DAY, NOW, 3600)
  await root.call(editCoreSettings, { body: { check_history_prune_days: 2 } })
  await server.ctx.jobs.drain()
  // Three days, the window in which the third day started, and on PostgreSQL the rest of its day.
  expect((await countChunks(server))[0]).toBeLessThan(18)
  expect((await countChunks(server))[0]).toBeGreaterThanOrEqual(12)
  expect(await graph(NOW - 30 * DAY, NOW, 3600)).toEqual(means)
  await root.call(editCoreSettings, {
    body: {
      check_history_prune_days: 1,
      check_history_5min_prune_days: 1,
      check_history_hourly_prune_days: 1,
    },
  })
  server.clock.advance(40 * DAY)
  await server.ctx.jobs.drain()
  await prune(server)
  expect(await countChunks(server)).toEqual([0, 0, 0])
})

test('late samples without their neighbours leave the means unchanged', async () => {
  await using given = await givenMeasuring()
  const { server, cpu, graph } = given
  const from = NOW - 6 * DAY - (NOW % 3600)
  await cpu(...Array.from({ length: 30 }, (_, index): [number, number] => [from + index * 60, 10]))
  await merge(server)
  await server.ctx.db.deleteFrom('sample_chunks').where('resolution', '=', 0).execute()
  const late: [number, number][] = [
    [from + 30, 90],
    [from + 3600, 50],
  ]
  await cpu(...late)
  const expected = [
    [from, 10, 10, 10],
    [from + 3600, 50, 50, 50],
  ]
  const before = await graph(NOW - 7 * DAY, NOW, 3600)
  expect(before.series[0]?.points).toEqual(expected)
  await merge(server)
  expect((await graph(NOW - 7 * DAY, NOW, 3600)).series[0]?.points).toEqual(expected)
})

test('pruning never blocks writers, and an interrupted run is finished by the next one', async () => {
  await using given = await givenMeasuring()
  const { server, cpu } = given
  const { ctx } = server
  await cpu([NOW - 60, 5])
  await givenOldTransitions(given, 5000)
  const left: number[] = []
  const stopping = new AbortController()
  const pruning = prune(server, stopping.signal).catch((error: Error) => error.message)
  while ((left.at(-1) ?? 5000) > 2000) {
    await ctx.transaction(async (tx) => {
      await tx.updateTable('agents').set({ description: 'written meanwhile' }).execute()
    })
    left.push(await countTransitions(server))
    await new Promise(setImmediate)
  }
  // Several steps, and never all rows at once.
  expect(left.length).toBeGreaterThan(3)
  stopping.abort(new Error('the server is stopping'))
  expect(await pruning).toBe('the server is stopping')
  expect(await countTransitions(server)).toBeGreaterThan(1)
  await prune(server)
  // The last one keeps the state of the check at the start of the range.
  expect(await countTransitions(server)).toBe(1)
})
