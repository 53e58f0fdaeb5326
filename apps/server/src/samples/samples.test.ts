import type { Measured } from '@muster/contract/agent/checks'
import { getCheckSamples } from '@muster/contract/api/checks'
import { expect, test } from 'vitest'
import { countChunks, DAY, givenMeasuring, HOUR, merge, NOW, prune, sawTooth } from './test-samples.ts'

test('every sample is shown, before and after merging, including late and repeated ones', async () => {
  await using prepared = await givenMeasuring()
  const { server, cpu, graph } = prepared
  const runs = sawTooth(DAY)
  const early = runs.filter((_, index) => index % 2 === 0)
  const late = runs.filter((_, index) => index % 2 === 1)
  const expected = runs.map(([at, value]) => [at, value, value, value])
  await cpu(...early)
  await merge(server)
  await cpu(...late)
  await cpu(...late)
  const before = await graph(NOW - DAY, NOW)
  expect(before).toMatchObject({ resolution: 0, series: [{ name: 'percent', unit: '%', points: expected }] })
  const means = await graph(NOW - DAY, NOW, 300)
  await merge(server)
  expect(await server.ctx.db.selectFrom('sample_batches').selectAll().execute()).toEqual([])
  expect(await graph(NOW - DAY, NOW)).toEqual(before)
  expect(await graph(NOW - DAY, NOW, 300)).toEqual(means)
  expect(means.series[0]?.points).toHaveLength(288)
  await merge(server)
  await cpu(...runs.slice(0, 5))
  await merge(server)
  expect(await graph(NOW - DAY, NOW)).toEqual(before)
})

test('a longer range is shown in points of five minutes or more, with minimum and maximum', async () => {
  await using prepared = await givenMeasuring()
  const { server, cpu, graph } = prepared
  await cpu(...sawTooth(6 * DAY))
  await merge(server)
  const week = await graph(NOW - 7 * DAY, NOW)
  expect(week.resolution).toBe(600)
  expect(week.series[0]?.points).toHaveLength((6 * DAY) / 600)
  const hours = await graph(NOW - 30 * DAY, NOW, 3600)
  expect(hours.series[0]?.points).toHaveLength(144)
  expect(hours.series[0]?.points[0]).toEqual([NOW - 6 * DAY, 14.5, 0, 29])
  const year = await graph(NOW - 365 * DAY, NOW)
  expect(year.series[0]?.points[0]?.slice(2)).toEqual([0, 59])
  const all = await graph(0, Number.MAX_SAFE_INTEGER)
  expect(all.resolution).toBeGreaterThanOrEqual(HOUR)
  for (const { points } of [...week.series, ...year.series, ...all.series])
    expect(points.length).toBeLessThanOrEqual(2000)
})

test('failures are drawn with their real starts and ends', async () => {
  await using prepared = await givenMeasuring()
  const { cpu, graph } = prepared
  await cpu([NOW - 900, 80], [NOW - 600, 95], [NOW - 300, 10], [NOW - 100, 99])
  const bands = [
    { from: NOW - 900, to: NOW - 600, severity: 'warning' },
    { from: NOW - 600, to: NOW - 300, severity: 'error' },
    { from: NOW - 100, to: null, severity: 'error' },
  ]
  expect((await graph(NOW - HOUR, NOW)).failures).toEqual(bands)
  expect((await graph(NOW - 500, NOW - 400)).failures).toEqual(bands.slice(1, 2))
  expect((await graph(NOW - 250, NOW - 150)).failures).toEqual([])
})

test('numbers printed by a script become series, up to a limit', async () => {
  await using prepared = await givenMeasuring()
  const { server, check, measure, graph } = prepared
  await server.ctx.db.updateTable('checks').set({ check_type: 'script', settings: SCRIPT }).execute()
  const run = (names: string[]): Measured => ({
    check_type: 'script',
    outcome: 'exited',
    retcode: 0,
    stdout: '',
    stderr: '',
    execution_time: 1,
    metrics: names.map((name, index) => ({ name, value: index + 0.5, unit: 'MB' })),
  })
  await measure([[NOW - 60, run(['used', 'free'])]])
  expect((await graph(NOW - HOUR, NOW)).series.map(({ name, unit }) => [name, unit])).toEqual([
    ['retcode', ''],
    ['metric:used', 'MB'],
    ['metric:free', 'MB'],
  ])
  for (let round = 0; round < 5; round += 1) {
    await measure([[NOW - 50 + round, run(Array.from({ length: 20 }, (_, at) => `n${round}.${at}`))]])
  }
  const series = await server.ctx.db
    .selectFrom('series')
    .select('id')
    .where('check_id', '=', check.id)
    .execute()
  expect(series).toHaveLength(50)
})

test('old samples are deleted, and deleting a check deletes all of its samples', async () => {
  await using prepared = await givenMeasuring()
  const { server, cpu, graph } = prepared
  const { db } = server.ctx
  await cpu([NOW - 8 * DAY, 1], [NOW + 2 * DAY, 1], [NOW - 60, 1])
  expect((await graph(NOW - 30 * DAY, NOW + DAY, 0)).series[0]?.points).toHaveLength(1)
  await cpu(...sawTooth(DAY))
  await merge(server)
  const counts = () => countChunks(server)
  await prune(server)
  const [raw] = await counts()
  expect(raw).toBe(4)
  server.clock.advance(10 * DAY)
  await prune(server)
  expect(await counts()).toEqual([0, 2, 2])
  server.clock.advance(100 * DAY)
  await prune(server)
  expect(await counts()).toEqual([0, 0, 2])
  server.clock.advance(800 * DAY)
  await prune(server)
  expect(await counts()).toEqual([0, 0, 0])
  server.clock.freeze(new Date(NOW * 1000).toISOString())
  await cpu([NOW - 30, 5])
  await merge(server)
  await cpu([NOW - 20, 5])
  await db.deleteFrom('checks').execute()
  await merge(server)
  for (const table of ['series', 'sample_chunks', 'sample_batches', 'check_transitions'] as const)
    expect([table, await db.selectFrom(table).selectAll().execute()]).toEqual([table, []])
})

test('merging and pruning run as jobs', async () => {
  await using prepared = await givenMeasuring()
  const { server, cpu } = prepared
  await server.ctx.jobs.drain()
  await cpu([NOW - 60, 5])
  server.clock.advance(20 * 60)
  await server.ctx.jobs.drain()
  const batches = () => server.ctx.db.selectFrom('sample_batches').select('id').execute()
  expect(await batches()).toHaveLength(1)
  server.clock.advance(11 * 60)
  await server.ctx.jobs.drain()
  expect(await batches()).toEqual([])
})

test('a machine that sends much at once is merged within a minute', async () => {
  await using prepared = await givenMeasuring()
  const { server, cpu } = prepared
  await server.ctx.jobs.drain()
  await cpu(...sawTooth(3 * DAY))
  server.clock.advance(60)
  await server.ctx.jobs.drain()
  expect(await server.ctx.db.selectFrom('sample_batches').select('id').execute()).toEqual([])
  expect((await countChunks(server))[0]).toBe(12)
})

test('a range that ends before it starts is refused, and so are too many points', async () => {
  await using prepared = await givenMeasuring()
  const { check, root } = prepared
  const { error } = await root.call(getCheckSamples, {
    params: { id: check.id },
    query: { from: 20, to: 10 },
  })
  expect(error).toMatchObject({
    code: 'invalid',
    detail: 'The time range ends before it starts. Swap its ends.',
  })
})

const SCRIPT = JSON.stringify({
  script: 1,
  info_return_codes: [],
  warning_return_codes: [],
  success_return_codes: [],
  metric_thresholds: [],
})
