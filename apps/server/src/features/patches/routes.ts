import {
  editPatch,
  getPatchStatus,
  installPatches,
  listPatches,
  scanPatches,
} from '@muster/contract/api/patches'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { askMachine } from '../../fleet/ask-machine.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { startInstall } from '../runs/start-install.ts'
import { changePatch } from './change-patch.ts'
import { readPatches, readPatchStatus } from './queries.ts'
import { viewPatch } from './view.ts'

export function patchesRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, listPatches, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    return (await readPatches(ctx.db, agent.id)).map((patch) => viewPatch(agent.id, patch))
  })

  route(api, editPatch, async ({ params: { id }, body: { action }, caller }) => {
    const { agent, patch } = await changePatch(ctx, caller, { id, action })
    return viewPatch(agent, patch)
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
    const chosen = known.filter(({ guid, action }) =>
      guids === undefined ? action === 'approve' : guids.includes(guid),
    )
    if (guids === undefined && chosen.length === 0) return { patches: 0, run: null }
    if (chosen.length === 0 || (guids !== undefined && chosen.length < new Set(guids).size))
      throw new AppError('conflict', `${agent.hostname} does not have these patches to install any more.`)
    const what = guids === undefined ? 'approved patch' : 'patch'
    const many = chosen.length === 1 ? `the ${what}` : `${chosen.length} ${what}es`
    const run = await startInstall(ctx, fleet, {
      agent,
      caller,
      label: {
        command: `Install ${many}`,
        shell: '',
        args: chosen.map(({ title }) => title),
      },
      work: { name: 'install-patches', input: { guids: chosen.map(({ guid }) => guid) } },
      timeoutSeconds: body.timeout,
    })
    return { patches: chosen.length, run }
  })
}
