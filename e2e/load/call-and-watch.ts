import { getAgent, listAgents } from '@muster/contract/api/agents'
import { listClients } from '@muster/contract/api/clients'
import { listAgentHistory } from '@muster/contract/api/runs'
import type { Session } from '../support/sign-in.ts'
import { median } from './figures.ts'
import { cpuSeconds, residentMb } from './process-figures.ts'
import type { Stage } from './stage.ts'

export interface Watched {
  timesMs: number[]
  failures: string[]
  mostMb: number
  /** Percent of one core. */
  cpuShare: number
  seconds: number
}

/**
 * What the server needs, and how fast it answers, while consoles make so many calls a second: at fixed times, whether
 * or not the last call has been answered, since a slow server is not asked less.
 */
export async function callAndWatch(
  { server, session, clients, started }: Stage,
  { seconds, perSecond }: { seconds: number; perSecond: number },
): Promise<Watched> {
  const startedMs = performance.now()
  const cpuBefore = cpuSeconds(server.pid)
  const targets = { agentIds: started.agentIds, clientIds: clients.map(({ id }) => id) }
  const timesMs: number[] = []
  const failures: string[] = []
  let mostMb = 0
  const calls: Promise<void>[] = []
  for (let count = 0; count < seconds * perSecond; count++) {
    const call = async () => {
      const calledMs = performance.now()
      try {
        await callSomething(session, count, targets)
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error))
      }
      timesMs.push(performance.now() - calledMs)
    }
    calls.push(call())
    if (count % perSecond === 0) mostMb = Math.max(mostMb, residentMb(server.pid))
    await new Promise((resolve) => setTimeout(resolve, 1000 / perSecond))
  }
  await Promise.all(calls)
  const took = (performance.now() - startedMs) / 1000
  const cpuShare = ((cpuSeconds(server.pid) - cpuBefore) / took) * 100
  return { timesMs, failures, mostMb, cpuShare, seconds: took }
}

export function describeCalls({ timesMs, failures }: Watched): string {
  const failed = failures.length === 0 ? '' : `; **${failures.length} calls failed** (${failures[0]})`
  return `median ${median(timesMs).toFixed(1)} ms${failed}`
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
