import { watchMachineMetrics } from '@muster/contract/api/metrics'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'
import { LiveMetrics } from './live-metrics.ts'

const AT = '2026-11-21T12:00:00.500Z'

function prepare() {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const sent: number[] = []
  const state = { isLinked: true }
  const live = new LiveMetrics((_agentId, seconds) => {
    if (state.isLinked) sent.push(seconds)
    return state.isLinked
  })
  onTestFinished(() => live[Symbol.dispose]())
  const measure = (cpu: number) => live.take('pc12', { at: AT, values: { cpu } })
  return { live, sent, state, measure }
}

test('all viewers share one stream, and each receives every value once', async () => {
  const { live, sent, measure } = prepare()
  const [ada, bob] = [live.next('pc12', 0), live.next('pc12', 0)]
  measure(1)
  const sample = { at: Date.parse(AT) / 1000, values: { cpu: 1 } }
  expect((await ada)?.samples).toEqual([sample])
  const position = (await bob)?.next ?? 0
  measure(2)
  measure(3)
  expect((await live.next('pc12', position))?.samples.map(({ values }) => values.cpu)).toEqual([2, 3])
  // A later viewer gets the existing values.
  expect((await live.next('pc12', 0))?.samples).toHaveLength(3)
  expect(sent).toEqual([30])
})

test('the machine is asked again while a viewer exists, and stopped afterwards', async () => {
  const { live, sent } = prepare()
  let position = 0
  for (let turn = 0; turn < 6; turn += 1) {
    const asked = live.next('pc12', position)
    await vi.advanceTimersByTimeAsync(3000)
    position = (await asked)?.next ?? 0
  }
  expect(sent).toEqual([30, 30])
  await vi.advanceTimersByTimeAsync(5000)
  expect(sent).toEqual([30, 30, 0])
  expect(live.size).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
})

test('an offline machine is reported, a lost link ends the waiting, and the next link starts over', async () => {
  const { live, sent, state, measure } = prepare()
  const asked = live.next('pc12', 0)
  live.drop('pc12')
  expect(await asked).toEqual({ connected: true, samples: [], next: 0 })
  state.isLinked = false
  expect(await live.next('pc12', 0)).toBeUndefined()
  state.isLinked = true
  const again = live.next('pc12', 0)
  measure(7)
  expect((await again)?.samples).toHaveLength(1)
  expect(sent).toEqual([30, 30])
})

test('a position from another process with a fast clock blocks nothing', async () => {
  const { live, measure } = prepare()
  const asked = live.next('pc12', Date.now() + 3_600_000)
  measure(1)
  expect((await asked)?.samples).toHaveLength(1)
})

test('unrequested values are dropped, unknown names are removed, and at most 90 values wait', async () => {
  const { live, measure } = prepare()
  measure(1)
  expect(live.size).toBe(0)
  const asked = live.next('pc12', 0)
  live.take('pc12', { at: AT, values: { cpu: 5, 'disk:/': 40, 'made up': 1 } })
  expect((await asked)?.samples[0]?.values).toEqual({ cpu: 5, 'disk:/': 40 })
  for (let turn = 0; turn < 500; turn += 1) measure(turn)
  expect((await live.next('pc12', 0))?.samples).toHaveLength(90)
})

test('over a real link: the machine is asked, its values are returned, and nothing is stored', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const site = await server.given.site()
  using agent = await TestAgent.enrol(server, url, site.id)
  const params = { agent_id: agent.agentId }
  const ada = server.as(await server.given.user({ permissions: ['can_list_agents'] }))
  const away = await ada.call(watchMachineMetrics, { params, query: { after: 5 } })
  expect(away.body).toEqual({ connected: false, samples: [], next: 5 })
  const from = agent.frames.length
  await agent.connect()
  const asked = ada.call(watchMachineMetrics, { params, query: {} })
  const { payload } = await agent.nextCommand(from)
  expect(payload).toMatchObject({ name: 'watch-metrics', input: { seconds: 30 }, history_id: null })
  agent.send({ type: 'live-metrics', sample: { at: 'never', values: {} } })
  agent.send({ type: 'live-metrics', sample: { at: AT, values: { cpu: 12.5 } } })
  const { body } = await asked
  expect(body.samples).toEqual([{ at: Date.parse(AT) / 1000, values: { cpu: 12.5 } }])
  await agent.next((frame) => frame.type === 'error' && frame.code === 'unreadable', from)
  expect(await server.ctx.db.selectFrom('sample_batches').selectAll().execute()).toEqual([])
})
