import { listAgents } from '@muster/contract/api/agents'
import { watchMachineMetrics } from '@muster/contract/api/metrics'
import { addClient, makeToken } from '../support/seed.ts'
import { type Session, signIn } from '../support/sign-in.ts'
import { startAgent } from '../support/start-agent.ts'
import { startServer } from '../support/start-server.ts'
import type { Figure } from './budgets.ts'
import { median } from './figures.ts'
import { waitForMachine } from './measure-api.ts'
import { cpuSeconds, privateMb, residentMb } from './process-figures.ts'

const QUIET_AFTER_MS = 30_000
const WATCH_MS = 60_000
const SAMPLES = 12

/** Its service has none. With one V8 compiles less, and the agent takes less memory. */
const WITHOUT_COMPILE_CACHE = { NODE_DISABLE_COMPILE_CACHE: '1' }

/** Between two requests, as in the console. */
const PAUSE_MS = 500

/** A real agent, started as by its service: without requests, then while a user has its Summary open. */
export async function measureAgent(): Promise<Figure[]> {
  await using server = await startServer()
  const session = await signIn(server.url, server.admin)
  const token = await makeToken(session, await addClient(session, 'Idle'))
  await using agent = await startAgent({
    server: server.url,
    token,
    program: 'bundle',
    env: WITHOUT_COMPILE_CACHE,
  })
  await waitForMachine(session, 'Idle')
  await sleep(QUIET_AFTER_MS)
  const startedMs = performance.now()
  const before = cpuSeconds(agent.pid)
  const resident: number[] = []
  const own: number[] = []
  for (let sample = 0; sample < SAMPLES; sample++) {
    await sleep(WATCH_MS / SAMPLES)
    resident.push(residentMb(agent.pid))
    own.push(privateMb(agent.pid))
  }
  const seconds = (performance.now() - startedMs) / 1000
  const idle = ((cpuSeconds(agent.pid) - before) / seconds) * 100
  const watched = await watchSummary(session, agent.pid)
  return [
    { budget: 'agentMemory', value: median(resident), remark: describeMost(resident) },
    { budget: 'agentPrivate', value: median(own), remark: describeMost(own) },
    { budget: 'agentCpu', value: idle, remark: `over ${seconds.toFixed(0)} s` },
    watched,
  ]
}

/** The charts of a Summary, which move as long as they are requested. */
async function watchSummary(session: Session, pid: number): Promise<Figure> {
  const [machine] = await session.call(listAgents, { query: {} })
  if (machine === undefined) throw new Error('there is no machine')
  const params = { agent_id: machine.agent_id }
  let after = 0
  let values = 0
  const watch = async (forMs: number) => {
    const until = performance.now() + forMs
    while (performance.now() < until) {
      const { next, samples } = await session.call(watchMachineMetrics, { params, query: { after } })
      after = next
      values += samples.length
      await sleep(PAUSE_MS)
    }
  }
  // Its code is loaded on first use.
  await watch(WATCH_MS / SAMPLES)
  values = 0
  const [startedMs, before] = [performance.now(), cpuSeconds(pid)]
  await watch(WATCH_MS)
  const seconds = (performance.now() - startedMs) / 1000
  if (values === 0) throw new Error('the machine sent no values')
  return {
    budget: 'agentWatched',
    value: ((cpuSeconds(pid) - before) / seconds) * 100,
    remark: `${values} samples in ${seconds.toFixed(0)} s`,
  }
}

function describeMost(values: readonly number[]): string {
  return `at most ${Math.max(...values).toFixed(0)} MB`
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
