import { addClient, makeToken } from '../support/seed.ts'
import { signIn } from '../support/sign-in.ts'
import { startAgent } from '../support/start-agent.ts'
import { startServer } from '../support/start-server.ts'
import type { Figure } from './budgets.ts'
import { median } from './figures.ts'
import { waitForMachine } from './measure-api.ts'
import { cpuSeconds, privateMb, residentMb } from './process-figures.ts'

const QUIET_AFTER_MS = 30_000
const WATCH_MS = 60_000
const SAMPLES = 12

/** A real agent, started as by its service, without requests. */
export async function measureAgent(): Promise<Figure[]> {
  await using server = await startServer()
  const session = await signIn(server.url, server.admin)
  const token = await makeToken(session, await addClient(session, 'Idle'))
  await using agent = await startAgent({ server: server.url, token, program: 'bundle' })
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
  return [
    { budget: 'agentMemory', value: median(resident), remark: describeMost(resident) },
    { budget: 'agentPrivate', value: median(own), remark: describeMost(own) },
    {
      budget: 'agentCpu',
      value: ((cpuSeconds(agent.pid) - before) / seconds) * 100,
      remark: `over ${seconds.toFixed(0)} s`,
    },
  ]
}

function describeMost(values: readonly number[]): string {
  return `at most ${Math.max(...values).toFixed(0)} MB`
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
