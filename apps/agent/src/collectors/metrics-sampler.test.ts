import type { Report } from '@muster/contract/agent/link'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Counters } from '../os/os.ts'
import { Problems } from '../status-file.ts'
import { Outbox } from '../state/outbox.ts'
import { State } from '../state/state.ts'
import { givenAgent, givenFolder, givenLog } from '../testing/given.ts'
import { MetricsSampler, toValues } from './metrics-sampler.ts'

const FIRST: Counters = {
  cpu: { busy: 100, total: 1000 },
  memoryPercent: 40.123,
  load: 0.5,
  uptimeSeconds: 60,
  disks: [{ mount: '/', percent: 12.3 }],
  diskBytes: { read: 0, written: 1000 },
  netBytes: { received: 5000, sent: 7000 },
}
const SECOND: Counters = {
  ...FIRST,
  cpu: { busy: 130, total: 1060 },
  uptimeSeconds: 120,
  diskBytes: { read: 6000, written: 1000 },
  netBytes: { received: 5600, sent: 10 },
}

test('shares and rates cover the time between two samples', () => {
  expect(toValues({ atMs: 0, counters: FIRST }, { atMs: 60_000, counters: SECOND })).toEqual({
    cpu: 50,
    memory: 40.12,
    load: 0.5,
    disk_read: 100,
    disk_write: 0,
    net_in: 10,
    uptime: 120,
    'disk:/': 12.3,
  })
})

test('sums of other interfaces are not compared', () => {
  const look = (atMs: number, interfaces: string, received: number) => ({
    atMs,
    counters: { ...FIRST, netBytes: { received, sent: received, interfaces } },
  })
  const netIn = (...names: [string, string]) =>
    toValues(look(0, names[0], 1000), look(60_000, names[1], 61_000)).net_in
  expect(netIn('eth0', 'eth0')).toBe(1000)
  expect(netIn('eth0', 'eth0 eth1')).toBeUndefined()
})

test('a machine with a thousand disks reports some of them', () => {
  const disks = Array.from({ length: 1000 }, (_, index) => ({ mount: `/${index}`, percent: 1 }))
  const values = toValues({ atMs: 0, counters: FIRST }, { atMs: 60_000, counters: { ...SECOND, disks } })
  expect(Object.keys(values)).toHaveLength(40)
  expect(values).toHaveProperty('cpu')
})

test('metrics are sampled each minute without a link too, and stored for a week; a hanging sample is not joined by another', async () => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
  })
  onTestFinished(() => void vi.useRealTimers())
  const { log } = givenLog()
  using state = new State({ folder: givenFolder(), log, problems: new Problems() })
  const outbox = new Outbox({ state, log, problems: new Problems(), now: () => Date.now() })
  let looks = 0
  let hang: Promise<void> | undefined
  using sampler = new MetricsSampler({
    readCounters: async () => {
      looks += 1
      await hang
      return { ...FIRST, cpu: { busy: looks, total: looks * 2 } }
    },
    outbox,
    log,
    now: () => Date.now(),
  })
  const reports = () => outbox.listAfter(0, 100_000).map(({ json }) => JSON.parse(json) as Report) // As kept.
  await vi.advanceTimersByTimeAsync(9 * 24 * 3_600_000)
  outbox.dropOld()
  expect(looks).toBe(9 * 1440 + 2)
  expect(reports().length).toBeGreaterThan(7 * 1440 - 2)
  expect(reports().length).toBeLessThanOrEqual(7 * 1440 + 1)
  expect(reports().at(-1)).toMatchObject({ kind: 'metrics', sample: { values: { cpu: 50, memory: 40.12 } } })
  const { promise, resolve } = Promise.withResolvers<void>()
  hang = promise
  const before = looks
  await vi.advanceTimersByTimeAsync(600_000)
  expect(looks).toBe(before + 1)
  resolve()
  sampler[Symbol.dispose]()
})

test('the interval is 60 s by default, and can be set by the server', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { log } = givenLog()
  using state = new State({ folder: givenFolder(), log, problems: new Problems() })
  const now = () => Date.now()
  const outbox = new Outbox({ state, log, problems: new Problems(), now })
  let looks = 0
  const readCounters = async () => {
    looks += 1
    return FIRST
  }
  using sampler = new MetricsSampler({ readCounters, outbox, log, now })
  const samplesIn = async (seconds: number) => {
    const before = looks
    await vi.advanceTimersByTimeAsync(seconds * 1000)
    return looks - before
  }
  await samplesIn(10)
  expect(await samplesIn(600)).toBe(10)
  sampler.every(15)
  expect(await samplesIn(600)).toBe(40)
  // Repeated with each link: an unchanged interval restarts nothing.
  await samplesIn(14)
  sampler.every(15)
  expect(await samplesIn(1)).toBe(1)
  sampler.every(60)
  expect(await samplesIn(600)).toBe(10)
})

test('an agent uses the interval from its sign-in', async () => {
  const { server, agent } = await givenAgent()
  server.metricsInterval = 10
  const again = server.untilUp()
  agent.link.drop('a test')
  await again
  const samples = () => server.reports.flatMap((report) => (report.kind === 'metrics' ? [report.sample] : []))
  await server.until(() => samples().length >= 2)
  const [first, second] = samples().map(({ at }) => Date.parse(at) / 1000)
  expect((second ?? 0) - (first ?? 0)).toBeLessThan(30)
})
