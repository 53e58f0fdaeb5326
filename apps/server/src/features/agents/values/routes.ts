import { type AgentValues, listAgentValues } from '@muster/contract/api/agent-values'
import type { Context } from '../../../context.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { mayDo } from '../../../platform/http/caller.ts'
import { type Api, JsonText, route } from '../../../platform/http/route.ts'

export function agentValuesRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, listAgentValues, async ({ query: { names, ...filter }, caller }) => {
    const found: Awaited<ReturnType<(typeof ctx.hooks.agentValues)[number]['read']>> = {}
    for (const source of ctx.hooks.agentValues) {
      const wanted = source.names.filter((name) => names.includes(name))
      if (wanted.length > 0 && mayDo(caller, source.permission))
        Object.assign(found, await source.read(ctx, wanted))
    }
    const rows = await fleet.rows.list(caller, filter)
    const machines = rows.flatMap(({ agent_id }): AgentValues[] => {
      const values: AgentValues['values'] = {}
      for (const name of names) {
        const value = found[name]?.get(agent_id)
        if (value !== undefined) values[name] = value
      }
      return Object.keys(values).length === 0 ? [] : [{ agent_id, values }]
    })
    // Parsing thousands of rows would take longer than reading them.
    return new JsonText(JSON.stringify(machines))
  })
}
