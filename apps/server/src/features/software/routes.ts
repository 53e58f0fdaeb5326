import {
  findSoftware,
  getSoftware,
  installSoftware,
  listSoftwareMachines,
  refreshSoftware,
} from '@muster/contract/api/software'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { startInstall } from '../runs/start-install.ts'
import { findMachinesWith } from './queries.ts'
import { readSoftware, readTitles } from './read-software.ts'
import { SoftwareRefresh } from './refresh-software.ts'

export function softwareRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  const refreshing = new SoftwareRefresh(ctx, fleet)
  route(api, findSoftware, async ({ query, caller }) => {
    const { page, page_size } = query
    return { page, page_size, ...(await readTitles(ctx.db, caller, query)) }
  })
  route(api, listSoftwareMachines, ({ params, caller }) => findMachinesWith(ctx.db, caller, params.title))
  route(api, getSoftware, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    return readSoftware(ctx.db, agent.id)
  })
  route(api, refreshSoftware, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    await refreshing.refresh(caller, agent.agent_id)
    return readSoftware(ctx.db, agent.id)
  })
  route(api, installSoftware, async ({ params, body: { name, alternatives, timeout }, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    const names = [name, ...alternatives]
    return startInstall(ctx, fleet, {
      agent,
      caller,
      label: { command: `Install the package ${names.join(' or ')}`, shell: '', args: [] },
      work: { name: 'install-package', input: { names } },
      timeoutSeconds: timeout,
    })
  })
}
