import type { FoundLog, JournalPriority } from '@muster/contract/agent/logs'
import { readEventLog, readMachineLog } from '@muster/contract/api/logs'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { requireAgent } from '../../agents/require-agent.ts'

export function logsRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, readMachineLog, async ({ params, query, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    const { unit = null, since = null, until = null, ...rest } = query
    const order = { input: { unit, since, until, ...rest }, author: caller.username }
    return fleet.ask(agent, 'read-log', order)
  })
  route(api, readEventLog, async ({ params: { agent_id, log, days }, caller }) => {
    const agent = await requireAgent(ctx.db, agent_id, caller)
    if (agent.plat !== 'windows')
      throw new AppError(
        'agent_refused',
        `${agent.hostname} has no Windows logs. Use /agents/${agent_id}/logs/.`,
      )
    const since = Math.floor(ctx.now().getTime() / 1000) - days * DAY_SECONDS
    const input = { unit: null, priority: 'debug' as const, since, until: null, search: '', log }
    const entries: FoundLog['entries'] = []
    for (let before: string | undefined; ;) {
      const order = {
        input: { ...input, ...(before === undefined ? {} : { before }) },
        author: caller.username,
      }
      const found = await fleet.ask(agent, 'read-log', order)
      entries.push(...found.entries)
      before = found.next
      if (found.complete || before === undefined || entries.length >= MAX_EVENTS) break
    }
    return entries.slice(0, MAX_EVENTS).map((entry, index) => ({
      uid: index,
      time: new Date(entry.at_ms).toISOString(),
      source: entry.source,
      eventType: eventTypeOf(entry.priority),
      eventID: entry.event_id ?? 0,
      message: entry.message,
    }))
  })
}

const DAY_SECONDS = 86_400
const MAX_EVENTS = 5000

function eventTypeOf(priority: JournalPriority): 'ERROR' | 'WARNING' | 'INFO' {
  if (priority === 'warning') return 'WARNING'
  return ['emerg', 'alert', 'crit', 'err'].includes(priority) ? 'ERROR' : 'INFO'
}
