import { getPatchStatus, installPatches, listPatches, scanPatches } from '@muster/contract/api/patches'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { askMachine } from '../agents/ask-machine.ts'
import type { Fleet } from '../agents/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { startInstall } from '../history/start-install.ts'
import { readPatches, readPatchStatus } from './queries.ts'

export function patchesRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, listPatches, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    return (await readPatches(ctx.db, agent.id)).map((patch) => ({ ...patch, installed: false as const }))
  })

  route(api, getPatchStatus, async ({ params, caller }) =>
    readPatchStatus(ctx.db, await requireAgent(ctx.db, params.agent_id, caller)),
  )

  route(api, scanPatches, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    await askMachine(
      ctx,
      { fleet, caller, agentId: agent.agent_id },
      {
        name: 'scan-patches',
        input: {},
        action: 'view',
        object_type: 'winupdate',
        describe: () => 'Had the machine look for patches',
      },
    )
    return readPatchStatus(ctx.db, agent)
  })

  route(api, installPatches, async ({ params, body, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    const known = await readPatches(ctx.db, agent.id)
    const { guids } = body
    const chosen = guids === undefined ? known : known.filter(({ guid }) => guids.includes(guid))
    if (chosen.length === 0 || (guids !== undefined && chosen.length < new Set(guids).size))
      throw new AppError('conflict', `${agent.hostname} does not have these patches to install any more.`)
    const many = chosen.length === 1 ? 'the patch' : `${chosen.length} patches`
    return startInstall(ctx, fleet, {
      agent,
      caller,
      label: {
        command: guids === undefined ? 'Install all patches' : `Install ${many}`,
        shell: '',
        args: guids === undefined ? [] : chosen.map(({ title }) => title),
      },
      work: { name: 'install-patches', input: { guids: guids ?? null } },
      timeoutSeconds: body.timeout,
    })
  })
}
