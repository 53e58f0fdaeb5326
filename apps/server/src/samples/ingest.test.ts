import type { CheckResult } from '@muster/contract/agent/checks'
import { getCheckSamples } from '@muster/contract/api/checks'
import { expect, test } from 'vitest'
import { createTestServer } from '../testing/test-server.ts'
import { TestAgent } from '../features/agents/test-agent.ts'
import { merge } from './test-samples.ts'

const NOW = Date.parse('2026-03-20T12:00:00.000Z') / 1000
const DAY = 86_400

/** A machine with a CPU check over a real socket. */
async function prepare(error_threshold = 0) {
  const server = await createTestServer()
  server.clock.freeze(new Date(NOW * 1000).toISOString())
  const { url } = await server.listen()
  const site = await server.given.site()
  const machine = await TestAgent.enrol(server, url, site.id)
  const connect = () => machine.connect({ agentTime: server.clock.now().toISOString() })
  await connect()
  const check = await server.given.check({
    agent_id: machine.agentId,
    check_type: 'cpuload',
    settings: JSON.stringify({ warning_threshold: 0, error_threshold }),
    revision: 'cpu.1',
  })
  const root = server.as(await server.given.user({ superuser: true }))
  const results = (moments: number[], percentOf: (at: number) => number) =>
    moments.map((at): CheckResult => ({
      check_id: check.id,
      revision: 'cpu.1',
      at: new Date(at * 1000).toISOString(),
      measured: { check_type: 'cpuload', percent: percentOf(at) },
    }))
  return {
    server,
    machine,
    connect,
    results: (moments: number[]) => results(moments, percentAt),
    report: async (moments: number[], percentOf = percentAt) => {
      const seq = machine.report({ kind: 'checks', results: results(moments, percentOf) })
      await machine.next((frame) => frame.type === 'ack' && frame.seq >= seq, 0)
    },
    shown: async (from = NOW - 7 * DAY, to = NOW + 2 * DAY) => {
      const query = { from, to, resolution: 0 as const }
      const { body } = await root.call(getCheckSamples, { params: { id: check.id }, query })
      return (body.series[0]?.points ?? []).map(([at, mean]) => [at, mean])
    },
    async [Symbol.asyncDispose]() {
      machine.cut()
      await server[Symbol.asyncDispose]()
    },
  }
}

const percentAt = (at: number) => Math.abs(at % 97)
const samplesAt = (moments: number[]) => moments.map((at) => [at, percentAt(at)])
const minutes = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => from + index * 60)

test('after ten minutes without a server the graph has no gap, and repeated reports count once', async () => {
  await using prepared = await prepare()
  const { server, machine, connect, report, shown } = prepared
  const before = minutes(NOW - 600, 10)
  await report(before)
  machine.cut()
  server.clock.advance(600)
  const away = minutes(NOW, 10)
  await connect()
  // The acknowledgement was lost with the link, so the same reports are sent again over a new one.
  await report(away)
  machine.cut()
  await connect()
  await report(away)
  expect(await shown()).toEqual(samplesAt([...before, ...away]))
  await merge(server)
  await report(away)
  expect(await shown()).toEqual(samplesAt([...before, ...away]))
  await merge(server)
  expect(await shown()).toEqual(samplesAt([...before, ...away]))
  const batches = await server.ctx.db.selectFrom('sample_batches').select('id').execute()
  expect(batches).toEqual([])
})

test('after ten minutes without a server each alert has the time of its cause', async () => {
  await using prepared = await prepare(90)
  const { server, machine, connect, report } = prepared
  machine.cut()
  server.clock.advance(600)
  await connect()
  // A peak that is over, and one that continues.
  const isHigh = (at: number) => at === NOW + 120 || at >= NOW + 420
  await report(minutes(NOW, 10), (at) => (isHigh(at) ? 95 : 20))
  const alerts = await server.ctx.db
    .selectFrom('alerts')
    .select(['alert_time', 'resolved_on'])
    .orderBy('id')
    .execute()
  const instant = (seconds: number) => new Date((NOW + seconds) * 1000).toISOString()
  expect(alerts).toEqual([
    { alert_time: instant(120), resolved_on: instant(180) },
    { alert_time: instant(420), resolved_on: null },
  ])
})

test('the order of samples makes no difference', async () => {
  await using prepared = await prepare()
  const { server, report, shown } = prepared
  const all = minutes(NOW - DAY, 500)
  const mixed = all.toSorted((a, b) => (a % 7) - (b % 7) || b - a)
  for (let at = 0; at < mixed.length; at += 50) {
    await report(mixed.slice(at, at + 50))
    if (at % 150 === 0) await merge(server)
  }
  expect(await shown()).toEqual(samplesAt(all))
  await merge(server)
  expect(await shown()).toEqual(samplesAt(all))
})

test('samples with times that are wrong by days are dropped, and do not affect others', async () => {
  await using prepared = await prepare()
  const { server, report, shown } = prepared
  await report([NOW - 60, NOW + 2 * DAY, NOW + 400 * DAY, NOW - 8 * DAY, 1, 253_402_300_799])
  expect(await shown(0, Number.MAX_SAFE_INTEGER)).toEqual(samplesAt([NOW - 60]))
  await report([NOW - 30])
  await merge(server)
  expect(await shown(0, Number.MAX_SAFE_INTEGER)).toEqual(samplesAt([NOW - 60, NOW - 30]))
})

test('a report of the maximum size is stored, and a larger one is refused completely', async () => {
  await using prepared = await prepare()
  const { machine, connect, report, results, shown } = prepared
  const all = minutes(NOW - DAY, 500)
  await report(all)
  expect(await shown()).toEqual(samplesAt(all))
  const from = machine.frames.length
  machine.report({ kind: 'checks', results: results(minutes(NOW - 2 * DAY, 501)) })
  await machine.next((frame) => frame.type === 'error', from)
  machine.cut()
  await connect()
  expect(await shown()).toEqual(samplesAt(all))
})
