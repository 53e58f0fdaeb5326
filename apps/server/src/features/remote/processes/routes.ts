import {
  endProcess,
  listProcesses,
  type LiveProcesses,
  type Process,
  setPriority,
  watchProcesses,
} from '@muster/contract/api/processes'
import { AppError } from '@muster/contract/errors'
import type { ProcessTarget } from '@muster/contract/agent/processes'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { requireAgent } from '../../agents/require-agent.ts'
import { type AgentRequest, requestAgent } from '../../agents/request-agent.ts'

export function processesRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, listProcesses, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    return (await readOnce(fleet, agent)).map((process) => ({ id: process.pid, ...process }))
  })
  route(api, watchProcesses, async ({ params, query, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    return (await requireWatched(fleet, agent, query.after)) ?? { ...AWAY, next: query.after }
  })
  route(api, endProcess, async ({ params: { agent_id, pid }, query, caller }) => {
    const start = query.start ?? (await findStart(agent_id, pid, caller))
    return endMachineProcess(ctx, { fleet, caller, agentId: agent_id }, { pid, ...query, start })
  })
  route(api, setPriority, ({ params, body, caller }) =>
    changePriority(ctx, { fleet, caller, agentId: params.agent_id }, { pid: params.pid, ...body }),
  )

  async function findStart(agentId: string, pid: number, caller: Caller): Promise<string> {
    const agent = await requireAgent(ctx.db, agentId, caller)
    const found = (await readOnce(fleet, agent)).find((process) => process.pid === pid)
    if (found === undefined) throw new AppError('not_found', `${agent.hostname} has no process ${pid}.`)
    return found.start
  }
}

const AWAY = {
  connected: false,
  whole: false,
  more: false,
  processes: [],
  gone: [],
  left_out: 0,
  cpu_percent: 0,
  memory_total: 0,
  memory_used: 0,
}

type Machine = { agent_id: string; hostname: string }

/** Changes since `after`; undefined if the machine is offline. Throws the reason if it cannot list its processes. */
async function requireWatched(
  fleet: Fleet,
  { agent_id, hostname }: Machine,
  after: string,
): Promise<LiveProcesses | undefined> {
  const answer = await fleet.watchProcesses(agent_id, after)
  if (answer !== undefined && 'problem' in answer)
    throw new AppError('agent_refused', `${hostname}: ${answer.problem}`)
  return answer
}

/** Maximum requests to a slow machine, each of which waits for some seconds. */
const MAX_TURNS = 15

/** One complete scan. */
async function readOnce(fleet: Fleet, agent: Machine): Promise<Process[]> {
  const { hostname } = agent
  const found = new Map<number, Process>()
  let after = ''
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const answer = await requireWatched(fleet, agent, after)
    if (answer === undefined)
      throw new AppError('agent_offline', `${hostname} is offline. Try again when it is connected.`)
    for (const pid of answer.gone) found.delete(pid)
    for (const process of answer.processes) found.set(process.pid, process)
    after = answer.next
    if (!answer.more && found.size > 0) return [...found.values()]
  }
  throw new AppError('unavailable', `${hostname} did not report its processes. Try again.`)
}

interface EndProcessOptions {
  force?: boolean | undefined
  tree?: boolean | undefined
}

/** Ends a process of a machine, alone or with its children. */
async function endMachineProcess(
  ctx: Context,
  asking: AgentRequest,
  { pid, start, force = false, tree = false }: ProcessTarget & EndProcessOptions,
): Promise<{ ended: number; left: number[] }> {
  const { ended, left } = await requestAgent(ctx, asking, {
    name: 'end-process',
    input: { pid, start, force, tree },
    action: 'delete',
    object_type: 'process',
    describe: (answer) =>
      `${force ? 'Killed' : 'Ended'} ${call(pid, answer)}${tree ? ' and what it had started' : ''}`,
  })
  return { ended, left }
}

/** Changes the priority of a process of a machine. */
async function changePriority(
  ctx: Context,
  asking: AgentRequest,
  { pid, start, nice }: ProcessTarget & { nice: number },
): Promise<{ pid: number; nice: number }> {
  await requestAgent(ctx, asking, {
    name: 'set-priority',
    input: { pid, start, nice },
    action: 'modify',
    object_type: 'process',
    describe: (answer) => `Changed the priority of ${call(pid, answer)} to ${nice}`,
  })
  return { pid, nice }
}

function call(pid: number, answer: { name: string } | undefined): string {
  return answer === undefined ? `process ${pid}` : `process ${pid} "${answer.name}"`
}
