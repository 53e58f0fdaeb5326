import { getAgent, listAgents } from '@muster/contract/api/agents'
import { listClients } from '@muster/contract/api/clients'
import { createSocketTicket } from '@muster/contract/api/core'
import { listAgentHistory, sendCommand } from '@muster/contract/api/history'
import { startAgent } from '../support/start-agent.ts'
import { addClient, makeToken } from '../support/seed.ts'
import type { Session } from '../support/sign-in.ts'
import type { Figure } from './budgets.ts'
import { median, percentile } from './figures.ts'
import { openHttp } from './http-client.ts'
import { cpuSeconds, residentMb } from './process-figures.ts'
import { settle, type Stage } from './stage.ts'

const LIST_CALLS = 300
const COMMANDS = 300
const WARM_UP = 30
const LOAD_SECONDS = 30
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
  ]
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
export async function measureLoad(stage: Stage): Promise<Figure[]> {
  const { server, session, clients, fleet, started } = stage
  using console = await openConsole(session)
  await fleet.ask({ kind: 'rate', reportsPerSecond: REPORTS_PER_SECOND })
  const before = await fleet.ask({ kind: 'look' })
  const startedMs = performance.now()
  const cpuBefore = cpuSeconds(server.pid)
  const targets = { agentIds: started.agentIds, clientIds: clients.map(({ id }) => id) }
  const timesMs: number[] = []
  const failures: string[] = []
  let mostMb = 0
  const calls: Promise<void>[] = []
  // At fixed times, whether or not the last call has been answered: a slow server is not asked less.
  for (let count = 0; count < LOAD_SECONDS * CALLS_PER_SECOND; count++) {
    const call = async () => {
      const startedMs = performance.now()
      try {
        await callSomething(session, count, targets)
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error))
      }
      timesMs.push(performance.now() - startedMs)
    }
    calls.push(call())
    if (count % CALLS_PER_SECOND === 0) mostMb = Math.max(mostMb, residentMb(server.pid))
    await new Promise((resolve) => setTimeout(resolve, 1000 / CALLS_PER_SECOND))
  }
  await Promise.all(calls)
  const after = await fleet.ask({ kind: 'look' })
  const seconds = (performance.now() - startedMs) / 1000
  const cpuShare = ((cpuSeconds(server.pid) - cpuBefore) / seconds) * 100
  await fleet.ask({ kind: 'rate', reportsPerSecond: 0 })
  const perSecond = (after.counts.reports - before.counts.reports) / seconds
  const remark = `${after.counts.connected} connected, ${perSecond.toFixed(0)} reports/s, ${console.frames()} live frames, ${cpuShare.toFixed(0)} % of a core`
  return [
    { budget: 'memory', value: mostMb, remark },
    {
      budget: 'apiP99',
      value: percentile(timesMs, 99),
      remark: [`median ${median(timesMs).toFixed(1)} ms`, ...describeFailures(failures)].join('; '),
    },
  ]
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
  await fleet.ask({ kind: 'forget-failures' })
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

export async function timeEach(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const timesMs: number[] = []
  for (let done = 0; done < count; done++) {
    const startedMs = performance.now()
    await work()
    timesMs.push(performance.now() - startedMs)
  }
  return timesMs
}

function describeFailures(failures: string[]): string[] {
  return failures.length === 0 ? [] : [`**${failures.length} calls failed** (${failures[0]})`]
}

/** The calls that an open console makes, in turn. */
async function callSomething(
  session: Session,
  count: number,
  { agentIds, clientIds }: { agentIds: string[]; clientIds: number[] },
): Promise<void> {
  const agent_id = agentIds[(count * 37) % agentIds.length] ?? ''
  const client = clientIds[count % clientIds.length] ?? 1
  if (count % 4 === 0) await session.call(listAgents, { query: { client } })
  else if (count % 4 === 1) await session.call(getAgent, { params: { agent_id } })
  else if (count % 4 === 2) await session.call(listClients, { query: {} })
  else await session.call(listAgentHistory, { params: { agent_id }, query: {} })
}

/** A console that looks on: a live socket that receives what has changed. */
async function openConsole(session: Session): Promise<Disposable & { frames: () => number }> {
  const { ticket } = await session.call(createSocketTicket, {})
  const socket = new WebSocket(`${session.url.replace(/^http/, 'ws')}/ws/live/`)
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
  for (let tries = 0; tries < 100; tries++) {
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
