import type { Measured } from '@muster/contract/agent/checks'
import { getCheck, getCheckHistory } from '@muster/contract/api/checks'
import { expect, test } from 'vitest'
import { DAY, givenMeasuring, HOUR, merge, NOW, sawTooth } from '../../samples/test-samples.ts'

const iso = (at: number) => new Date(at * 1000).toISOString()

test('PATCH /checks/{id}/history/ takes timeFilter in days, 0 = all, and returns a list of x, y and results', async () => {
  await using prepared = await givenMeasuring()
  const { cpu, check, root } = prepared
  await cpu([NOW - 6 * DAY, 20.5], [NOW - 2 * HOUR, 80], [NOW - HOUR, 95])
  const { body: shown } = await root.call(getCheck, { params: { id: check.id } })
  const ask = async (timeFilter: number) =>
    (await root.call(getCheckHistory, { params: { id: shown.check_result.id }, body: { timeFilter } })).body
  const today = [
    { x: iso(NOW - 2 * HOUR), y: 80, results: { percent: 80 } },
    { x: iso(NOW - HOUR), y: 95, results: { percent: 95 } },
  ]
  expect(await ask(1)).toEqual(today)
  const early = { x: iso(NOW - 6 * DAY), y: 20.5, results: { percent: 20.5 } }
  expect(await ask(7)).toEqual([early, ...today])
  const all = await ask(0)
  expect(all.map(({ y }) => y)).toEqual([20.5, 80, 95])
})

test('a month is returned in as few points as a graph', async () => {
  await using prepared = await givenMeasuring()
  const { server, cpu, check, root } = prepared
  await cpu(...sawTooth(6 * DAY))
  await merge(server)
  const params = { id: check.id }
  const { body } = await root.call(getCheckHistory, { params, body: { timeFilter: 30 } })
  expect(body.length).toBeGreaterThan(100)
  expect(body.length).toBeLessThanOrEqual(2000)
})

test.each<[string, object, Measured, number]>([
  [
    'a disk: what is free of it',
    { disk: '/', threshold_unit: 'percent', warning_threshold: 25, error_threshold: 10 },
    disk({ free_bytes: 30 }),
    30,
  ],
  [
    'inodes: what is free of them',
    { disk: '/', threshold_unit: 'inodes', warning_threshold: 25, error_threshold: 10 },
    disk({ inodes_total: 10, inodes_free: 4 }),
    40,
  ],
  [
    'swap: what is in use',
    { memory_kind: 'swap', warning_threshold: 70, error_threshold: 90 },
    { check_type: 'memory', percent: 50, total_bytes: 1, swap_percent: 7 },
    7,
  ],
])('y of %s', async (_, settings, measured, y) => {
  await using prepared = await givenMeasuring()
  const { server, measure, check, root } = prepared
  const { check_type } = measured
  // A measurement of a known type belongs to a check of that type.
  const row = { check_type: check_type as 'memory', settings: JSON.stringify(settings) }
  await server.ctx.db.updateTable('checks').set(row).execute()
  await measure([[NOW - 60, measured]])
  const { body } = await root.call(getCheckHistory, { params: { id: check.id }, body: { timeFilter: 1 } })
  expect(body).toMatchObject([{ x: iso(NOW - 60), y }])
})

test('y of other types is 1 while the check failed and 0 while it passed, also without a number', async () => {
  await using prepared = await givenMeasuring()
  const { server, measure, check, root } = prepared
  const settings = JSON.stringify({ name: 'Router', ip: '192.0.2.1', alert_severity: 'error' })
  await server.ctx.db.updateTable('checks').set({ check_type: 'ping', settings }).execute()
  const ping = (received: number): Measured => ({
    check_type: 'ping',
    sent: 3,
    received,
    ms: received === 0 ? null : 5,
    output: '',
  })
  await measure([
    [NOW - 240, ping(3)],
    [NOW - 180, ping(0)],
    [NOW - 120, ping(3)],
    [NOW - 60, { check_type: 'unmeasurable', reason: 'There is no ping program on this machine.' }],
  ])
  const { body } = await root.call(getCheckHistory, { params: { id: check.id }, body: { timeFilter: 1 } })
  expect(body.map(({ x, y, results }) => [x, y, results])).toEqual([
    [iso(NOW - 240), 0, { ms: 5, loss_percent: 0 }],
    [iso(NOW - 180), 1, { loss_percent: 100 }],
    [iso(NOW - 120), 0, { ms: 5, loss_percent: 0 }],
    [iso(NOW - 60), 1, {}],
  ])
})

test('a hidden machine has no history, and days must be a number', async () => {
  await using prepared = await givenMeasuring()
  const { server, check, root } = prepared
  const params = { id: check.id }
  const elsewhere = (await server.given.client()).id
  const stranger = server.as(
    await server.given.user({ permissions: ['can_list_checks'], clients: [elsewhere] }),
  )
  const { error } = await stranger.call(getCheckHistory, { params, body: { timeFilter: 0 } })
  expect(error?.code).toBe('not_found')
  const refused = await root.call(getCheckHistory, { params, body: { timeFilter: -1 } })
  expect(refused.error).toMatchObject({ code: 'invalid', fields: { timeFilter: expect.anything() } })
})

function disk(more: object): Measured {
  const usual = { check_type: 'diskspace', exists: true, total_bytes: 100, free_bytes: 50 } as const
  return { ...usual, inodes_total: null, inodes_free: null, ...more }
}
