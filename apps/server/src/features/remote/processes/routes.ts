import {
  endProcess,
  listProcesses,
  type Process,
  setPriority,
  watchProcesses,
} from '@muster/contract/api/processes'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { requireAgent } from '../../agents/require-agent.ts'
import { changePriority, endMachineProcess } from './act-on-process.ts'

export function processesRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, listProcesses, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    return (await readOnce(fleet, agent)).map((process) => ({ id: process.pid, ...process }))
  })
  route(api, watchProcesses, async ({ params, query, caller }) => {
    const { agent_id } = await requireAgent(ctx.db, params.agent_id, caller)
    return (await fleet.watchProcesses(agent_id, query.after)) ?? { ...AWAY, next: query.after }
  })
  route(api, endProcess, ({ params, query, caller }) =>
    endMachineProcess(ctx, { fleet, caller, agentId: params.agent_id }, { pid: params.pid, ...query }),
  )
  route(api, setPriority, ({ params, body, caller }) =>
    changePriority(ctx, { fleet, caller, agentId: params.agent_id }, { pid: params.pid, ...body }),
  )
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

/** Questions that a slow machine may leave open; each is waited for some seconds. */
const MOST_TURNS = 15

/** One whole look. */
async function readOnce(
  fleet: Fleet,
  { agent_id, hostname }: { agent_id: string; hostname: string },
): Promise<Process[]> {
  const found = new Map<number, Process>()
  let after = ''
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    const answer = await fleet.watchProcesses(agent_id, after)
    if (answer === undefined) throw new AppError('agent_offline', `${hostname} is not connected.`)
    for (const pid of answer.gone) found.delete(pid)
    for (const process of answer.processes) found.set(process.pid, process)
    after = answer.next
    if (!answer.more && found.size > 0) return [...found.values()]
  }
  throw new AppError('unavailable', `${hostname} has not told its processes. Try again.`)
}
