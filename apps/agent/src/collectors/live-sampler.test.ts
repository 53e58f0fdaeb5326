import type { MetricsSample } from '@muster/contract/agent/metrics'
import { expect, onTestFinished, test, vi } from 'vitest'
import { givenAgent, givenLog } from '../testing/given.ts'
import { LiveSampler } from './live-sampler.ts'

function prepare() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const sent: MetricsSample[] = []
  let looks = 0
  const sampler = new LiveSampler({
    readCounters: async () => {
      looks += 1
      return {
        cpu: { busy: looks, total: looks * 4 },
        memoryPercent: 50,
        uptimeSeconds: looks,
        disks: [],
        netBytes: { received: looks * 1000, sent: 0 },
      }
    },
    send: (sample) => sent.push(sample),
    log: givenLog().log,
    now: () => Date.now(),
  })
  onTestFinished(() => sampler[Symbol.dispose]())
  return { sampler, sent, looks: () => looks }
}

test('live metrics are sampled each second while a user watches, and not once more', async () => {
  const { sampler, sent, looks } = prepare()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(looks()).toBe(0)
  sampler.watch(5)
  await vi.advanceTimersByTimeAsync(3000)
  sampler.watch(5)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(sent).toHaveLength(8)
  expect(sent[0]?.values).toEqual({ cpu: 25, memory: 50, net_in: 1000, net_out: 0, uptime: 2 })
  expect(vi.getTimerCount()).toBe(0)
})

test('sampling stops on request, and rates never span a pause', async () => {
  const { sampler, sent } = prepare()
  sampler.watch(30)
  await vi.advanceTimersByTimeAsync(2000)
  sampler.watch(0)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(sent).toHaveLength(2)
  sampler.watch(30)
  await vi.advanceTimersByTimeAsync(1000)
  expect(sent).toHaveLength(3)
  expect(sent.at(-1)?.values['net_in']).toBe(1000)
})

test('live metrics are frames, not reports, and stop with the link', async () => {
  const { server, agent } = await givenAgent()
  const samples = () => server.frames.filter((frame) => frame.type === 'live-metrics')
  server.command(server.sign('watch-metrics', { seconds: 60 }))
  await server.until(() => samples().length >= 2)
  expect(samples()[0]?.sample.values).toMatchObject({ cpu: expect.any(Number), memory: expect.any(Number) })
  const waiting = agent.outbox.bytes
  expect(server.reports.filter(({ kind }) => kind === 'metrics').length).toBeLessThan(2)
  expect(waiting).toBeLessThan(10_000)
  const again = server.untilUp()
  agent.link.drop('a test')
  await again
  const count = samples().length
  server.runShell(1, 'sleep 2.5')
  await server.result(1)
  expect(samples()).toHaveLength(count)
})
