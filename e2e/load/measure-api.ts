import { getAgent, listAgents } from '@muster/contract/api/agents'
import { listLatestMetrics } from '@muster/contract/api/metrics'
import { createSocketTicket } from '@muster/contract/api/system'
import { sendCommand } from '@muster/contract/api/runs'
import { startAgent } from '../support/start-agent.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { openSocket, type Session } from '../support/sign-in.ts'
import type { BudgetName, Figure } from './budgets.ts'
import { callAndWatch, describeCalls } from './call-and-watch.ts'
import { median, percentile } from './figures.ts'
import { openHttp } from './http-client.ts'
import { cpuSeconds } from './process-figures.ts'
import { settle, type Stage } from './stage.ts'

const LIST_CALLS = 300
const LATEST_CALLS = 100
const COMMANDS = 300
const WARM_UP = 30
const LOAD_SECONDS = 30
const WARM_UP_SECONDS = 5
const CALLS_PER_SECOND = 25
export const REPORTS_PER_SECOND = 1000

/**
 * The list of one client's machines, one call after the other, compressed as a browser asks for it, without its ETag:
 * until the last byte is here. What a reader makes of it is in the figures of the dashboard.
 */
export async function measureList(stage: Stage): Promise<Figure[]> {
  await settle(() => cpuSeconds(stage.server.pid))
  const client = stage.clients[3]?.id ?? 1
  const rows = (await stage.session.call(listAgents, { query: { client } })).length
  using http = openHttp(stage.session)
  const call = () => http.fetchBytes(`/agents/?client=${client}`)
  for (let count = 0; count < WARM_UP; count++) await call()
  const timesMs = await timeEach(LIST_CALLS, call)
  return [
    {
      budget: 'list',
      value: percentile(timesMs, 95),
      remark: `${rows} rows, median ${median(timesMs).toFixed(1)} ms`,
    },
    await measureLatest(stage),
  ]
}

/** The last processor load and memory of all machines, which the machine table shows. */
async function measureLatest({ session, fleet, server }: Stage): Promise<Figure> {
  await fleet.ask({ kind: 'metrics' })
  await fleet.ask({ kind: 'await-acknowledged', timeoutMs: 120_000 })
  await settle(() => cpuSeconds(server.pid))
  using http = openHttp(session)
  const call = () => http.fetchBytes('/agents/metrics/latest/')
  const rows = (await session.call(listLatestMetrics, { query: {} })).length
  const timesMs = await timeEach(LATEST_CALLS, call)
  return {
    budget: 'latest',
    value: percentile(timesMs, 95),
    remark: `${rows} machines, median ${median(timesMs).toFixed(1)} ms`,
  }
}

/** `true` on a real agent, answered when it has ended: signed, stored, started, stored, answered. */
export async function measureCommand(stage: Stage): Promise<Figure[]> {
  const { server, session, started } = stage
  const token = await makeToken(session, await addClient(session, 'Real machines'))
  await using agent = await startAgent({ server: server.url, token, program: 'bundle' })
  const agentId = await waitForMachine(session, 'Real machines')
  await settle(() => cpuSeconds(server.pid) + cpuSeconds(agent.pid))
  const send = (id: string) =>
    session.call(sendCommand, { params: { agent_id: id }, body: { shell: 'sh', cmd: 'true', timeout: 10 } })
  for (let count = 0; count < WARM_UP; count++) await send(agentId)
  const timesMs = await timeEach(COMMANDS, () => send(agentId))
  const fakeId = await findLinuxMachine(session, started.agentIds)
  const fakeMs = await timeEach(COMMANDS, () => send(fakeId))
  return [
    {
      budget: 'command',
      value: median(timesMs),
      remark: `p95 ${percentile(timesMs, 95).toFixed(1)} ms; simulated machine, which starts no process: median ${median(fakeMs).toFixed(1)} ms`,
    },
  ]
}

/** Memory and answer times while ten thousand machines report and one console looks on. */
export async function measureLoad(
  stage: Stage,
  names: { memory: BudgetName; p99: BudgetName },
): Promise<Figure[]> {
  const { session, fleet } = stage
  using console = await openConsole(session)
  await fleet.ask({ kind: 'rate', reportsPerSecond: REPORTS_PER_SECOND })
  const firstMs = await warmUp(stage)
  const before = await fleet.ask({ kind: 'look' })
  const seen = await callAndWatch(stage, { seconds: LOAD_SECONDS, perSecond: CALLS_PER_SECOND })
  const after = await fleet.ask({ kind: 'look' })
  await fleet.ask({ kind: 'rate', reportsPerSecond: 0 })
  const perSecond = (after.counts.reports - before.counts.reports) / seen.seconds
  const remark = `${after.counts.connected} connected, ${perSecond.toFixed(0)} reports/s, ${console.frames()} live frames, ${seen.cpuShare.toFixed(0)} % of a core`
  return [
    { budget: names.memory, value: seen.mostMb, remark },
    {
      budget: names.p99,
      value: percentile(seen.timesMs, 99),
      remark: `${describeCalls(seen)}; the first list of all before: ${firstMs.toFixed(0)} ms`,
    },
  ]
}

/** Returns the time of the first list, which reads the rows of all machines from the database. */
export async function warmUp(stage: Stage): Promise<number> {
  const [firstMs = 0] = await timeEach(1, () => stage.session.call(listAgents, { query: {} }))
  await callAndWatch(stage, { seconds: WARM_UP_SECONDS, perSecond: CALLS_PER_SECOND })
  return firstMs
}

/** From the line that says that the server listens again until the last machine has signed in. */
export async function measureReconnect(stage: Stage): Promise<Figure[]> {
  const { server, fleet, started } = stage
  const count = started.agentIds.length
  const stoppingMs = performance.now()
  await server.stop()
  const stoppedMs = performance.now()
  await server.start()
  const listeningMs = performance.now()
  await fleet.ask({ kind: 'clear-failures' })
  const { counts } = await fleet.ask({ kind: 'await', count, timeoutMs: 120_000 })
  const backMs = performance.now()
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  return [
    {
      budget: 'reconnect',
      value: (backMs - listeningMs) / 1000,
      remark: `stopped in ${seconds(stoppedMs - stoppingMs)} s, listening ${seconds(listeningMs - stoppedMs)} s later; most failures of one machine since: ${counts.mostFailures}`,
    },
  ]
}

async function timeEach(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const timesMs: number[] = []
  for (let done = 0; done < count; done++) {
    const startedMs = performance.now()
    await work()
    timesMs.push(performance.now() - startedMs)
  }
  return timesMs
}

/** A console that looks on: a live socket that receives what has changed. */
export async function openConsole(session: Session): Promise<Disposable & { frames: () => number }> {
  const { ticket } = await session.call(createSocketTicket, {})
  const socket = openSocket(session, `${session.url.replace(/^http/, 'ws')}/ws/live/`)
  let frames = 0
  socket.addEventListener('message', () => (frames += 1))
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('the live socket was refused')))
  })
  socket.send(JSON.stringify({ type: 'hello', ticket }))
  return { frames: () => frames, [Symbol.dispose]: () => socket.close() }
}

export async function waitForMachine(session: Session, client: string): Promise<string> {
  for (let tries = 0; tries < 600; tries++) {
    const rows = await session.call(listAgents, { query: { search: client } })
    const row = rows.find((row) => 'connected' in row && row.connected && row.client_name === client)
    if (row !== undefined) return row.agent_id
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the agent did not appear')
}

async function findLinuxMachine(session: Session, agentIds: string[]): Promise<string> {
  for (const agent_id of agentIds) {
    const { plat } = await session.call(getAgent, { params: { agent_id } })
    if (plat === 'linux') return agent_id
  }
  throw new Error('no simulated machine runs Linux')
}
