import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { listAgents } from '@muster/contract/api/agents'
import { watchProcesses } from '@muster/contract/api/processes'
import { addClient, makeToken } from '../support/seed.ts'
import { type Session, signIn } from '../support/sign-in.ts'
import { type AgentOptions, startAgent } from '../support/start-agent.ts'
import { startServer } from '../support/start-server.ts'
import type { Figure } from './budgets.ts'
import { waitForMachine } from './measure-api.ts'
import { cpuSeconds } from './process-figures.ts'

const PROCESSES = 1000
const WATCH_MS = 30_000

/** Processor time of an agent while a user has its process list open, which updates each second. */
export async function measureProcesses(
  given: { count?: number; watchMs?: number; program?: AgentOptions['program'] } = {},
): Promise<Figure[]> {
  const { count = PROCESSES, watchMs = WATCH_MS, program = 'bundle' } = given
  await using server = await startServer()
  const session = await signIn(server.url, server.admin)
  const token = await makeToken(session, await addClient(session, 'Processes'))
  await using agent = await startAgent({ server: server.url, token, program })
  await waitForMachine(session, 'Processes')
  const [machine] = await session.call(listAgents, { query: {} })
  if (machine === undefined) throw new Error('there is no machine')
  await using _sleepers = await startSleepers(count)
  // The first response lists all processes, and the agent reads their names only once.
  const first = await look(session, machine.agent_id, watchMs / 10, '')
  const startedMs = performance.now()
  const before = cpuSeconds(agent.pid)
  const seen = await look(session, machine.agent_id, watchMs, first.next)
  const seconds = (performance.now() - startedMs) / 1000
  const listed = first.processes
  if (listed < count) throw new Error(`only ${listed} processes were listed`)
  return [
    {
      budget: 'processList',
      value: ((cpuSeconds(agent.pid) - before) / seconds) * 100,
      remark: `${listed} processes, ${seen.looks} looks in ${seconds.toFixed(0)} s`,
    },
  ]
}

/** Polls as the console does; `processes` counts all that were listed. */
async function look(session: Session, agentId: string, forMs: number, after: string) {
  const until = performance.now() + forMs
  let next = after
  let looks = 0
  const processes = new Set<number>()
  while (performance.now() < until) {
    const answer = await session.call(watchProcesses, {
      params: { agent_id: agentId },
      query: { after: next },
    })
    if (answer.next !== next) looks += 1
    for (const { pid } of answer.processes) processes.add(pid)
    next = answer.next
  }
  return { next, looks, processes: processes.size }
}

async function startSleepers(count: number): Promise<AsyncDisposable> {
  const shell = spawn(
    'sh',
    ['-c', `i=0; while [ $i -lt ${count} ]; do sleep 600 & i=$((i + 1)); done; echo up; wait`],
    {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  await once(shell.stdout, 'data')
  return {
    async [Symbol.asyncDispose]() {
      const exited = once(shell, 'exit')
      if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL')
      await exited
    },
  }
}
