import { createCheck } from '@muster/contract/api/checks'
import type { Input } from '@muster/contract/endpoint'
import type { Figure } from './budgets.ts'
import { median, percentile } from './figures.ts'
import { openHttp } from './http-client.ts'
import { cpuSeconds, residentMb } from './process-figures.ts'
import { openStage, settle, type Stage } from './stage.ts'

const MACHINES = 2000
const RESULTS_PER_SECOND = 40_000
/** A machine that was away for a while reports in batches. */
const RESULTS_PER_REPORT = 10
const INGEST_SECONDS = 20
const CALLS_AT_ONCE = 4
const GRAPH_CALLS = 200
const PAST = { days: 7, everySeconds: 120 }
const DAY_SECONDS = 86_400

type Settings = Input<typeof createCheck>['body']['settings']
const CHECKS: Settings[] = [
  { check_type: 'cpuload' },
  { check_type: 'memory' },
  { check_type: 'diskspace', disk: '/' },
  { check_type: 'diskspace', disk: '/var' },
  { check_type: 'process', process_name: 'sshd' },
  { check_type: 'process', process_name: 'cron' },
  { check_type: 'file', path: '/var/log/syslog' },
  ...['gateway', 'name server', 'backup'].map((name, index): Settings => {
    return { check_type: 'ping', name, ip: `192.0.2.${index + 1}` }
  }),
]

/** Ten checks on each of many machines, whose results come as fast as they are taken. */
export async function measureSamples(): Promise<Figure[]> {
  await using stage = await openStage({ machines: MACHINES })
  const { fleet, server } = stage
  const checkIds = await addChecks(stage)
  await fleet.ask({ kind: 'await-checks', count: checkIds.length, timeoutMs: 120_000 })
  await fleet.ask({ kind: 'past', agentId: stage.started.agentIds[0] ?? '', ...PAST })
  await fleet.ask({ kind: 'await-acknowledged', timeoutMs: 60_000 })
  await settle(() => cpuSeconds(server.pid))
  const ingest = await measureIngest(stage)
  const graph = await measureGraph(stage, checkIds[0] ?? 0)
  return [ingest, graph]
}

async function addChecks({ session, started }: Stage): Promise<number[]> {
  const bodies = started.agentIds.flatMap((agent) => CHECKS.map((settings) => ({ agent, settings })))
  const ids: number[] = []
  let next = 0
  const work = async () => {
    while (next < bodies.length) {
      const place = next++
      const body = bodies[place]
      if (body !== undefined) ids[place] = (await session.call(createCheck, { body })).id
    }
  }
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work))
  return ids
}

/** From the first result until the server has acknowledged, and so stored, the last one. */
async function measureIngest({ fleet, server }: Stage): Promise<Figure> {
  const order = { kind: 'check-rate', resultsPerReport: RESULTS_PER_REPORT } as const
  const before = await fleet.ask({ kind: 'look' })
  const startedMs = performance.now()
  await fleet.ask({ ...order, resultsPerSecond: RESULTS_PER_SECOND })
  await new Promise((resolve) => setTimeout(resolve, INGEST_SECONDS * 1000))
  await fleet.ask({ ...order, resultsPerSecond: 0 })
  await fleet.ask({ kind: 'await-acknowledged', timeoutMs: 120_000 })
  const seconds = (performance.now() - startedMs) / 1000
  const after = await fleet.ask({ kind: 'look' })
  if (after.counts.unreadable > 0) throw new Error(`${after.counts.unreadable} reports were refused`)
  const results = after.counts.checkResults - before.counts.checkResults
  const remark = `${results} results of ${MACHINES} machines in ${seconds.toFixed(0)} s, ${RESULTS_PER_REPORT} a report; server ${residentMb(server.pid).toFixed(0)} MB`
  return { budget: 'ingest', value: results / seconds, remark }
}

/** While ten thousand machines with ten checks each would report: 833 results a second. */
async function measureGraph({ fleet, session }: Stage, checkId: number): Promise<Figure> {
  await fleet.ask({ kind: 'check-rate', resultsPerSecond: 833, resultsPerReport: 1 })
  using http = openHttp(session)
  const to = Math.floor(Date.now() / 1000)
  const path = `/checks/${checkId}/samples/?from=${to - 30 * DAY_SECONDS}&to=${to}`
  const timesMs: number[] = []
  for (let call = 0; call < GRAPH_CALLS; call++) {
    const startedMs = performance.now()
    await http.fetchBytes(path)
    timesMs.push(performance.now() - startedMs)
  }
  await fleet.ask({ kind: 'check-rate', resultsPerSecond: 0, resultsPerReport: 1 })
  const remark = `median ${median(timesMs).toFixed(1)} ms; ${PAST.days} days of a result every ${PAST.everySeconds} s, 833 results/s meanwhile`
  return { budget: 'graph', value: percentile(timesMs, 95), remark }
}
