import {
  decidePatches,
  editPatch,
  findPatches,
  getPatchPolicy,
  getPatchStatus,
  getPatchSummary,
  installPatches,
  listPatches,
  listPatchFailures,
  listPatchMachines,
  scanPatches,
} from '@muster/contract/api/patches'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { type AgentRequest, requestAgent } from '../agents/request-agent.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { startInstall } from '../runs/start-install.ts'
import { decideForMany, decideForOne } from './decide-patches.ts'
import { findPatchFailures, findPatchMachines, readFleetPatches, readPatchSummary } from './fleet-patches.ts'
import { viewMachinePolicy } from './policy/view-policy.ts'
import {
  readInstalledPatches,
  readPatches,
  readPatchStatus,
  viewInstalledPatch,
  viewPatch,
} from './queries.ts'

export function patchesRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, listPatches, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    const installed = await readInstalledPatches(ctx.db, agent.id)
    return [
      ...(await readPatches(ctx.db, agent.id)).map((patch) => viewPatch(agent.id, patch)),
      ...installed.map((patch, index) => viewInstalledPatch(agent.id, patch, index)),
    ]
  })

  route(api, editPatch, async ({ params: { id }, body: { action }, caller }) => {
    const { agent, patch } = await decideForOne(ctx, caller, { id, action })
    return viewPatch(agent, patch)
  })

  route(api, getPatchStatus, async ({ params, caller }) =>
    readPatchStatus(ctx.db, await requireAgent(ctx.db, params.agent_id, caller)),
  )

  route(api, getPatchPolicy, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    return viewMachinePolicy(ctx.db, agent.id, ctx.now())
  })

  route(api, scanPatches, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    await scanMachine(ctx, { fleet, caller, agentId: agent.agent_id })
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
      throw new AppError(
        'conflict',
        `These patches of ${agent.hostname} are no longer available. Scan again.`,
      )
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

  route(api, findPatches, async ({ query, caller: { scope } }) => {
    const { page, page_size, client } = query
    return { page, page_size, ...(await readFleetPatches(ctx.db, { scope, client }, query)) }
  })

  route(api, listPatchMachines, ({ params: { patch }, query: { client }, caller: { scope } }) =>
    findPatchMachines(ctx.db, { scope, client }, patch),
  )

  route(api, getPatchSummary, ({ query: { client }, caller: { scope } }) =>
    readPatchSummary(ctx.db, { scope, client }, ctx.now()),
  )

  route(api, listPatchFailures, ({ query: { client }, caller: { scope } }) =>
    findPatchFailures(ctx.db, { scope, client }),
  )

  route(api, decidePatches, async ({ body, caller }) => ({
    machines: await decideForMany(ctx, caller, body),
  }))
}

/** Asks a machine to scan for patches, and waits until it has. */
export async function scanMachine(ctx: Context, request: AgentRequest): Promise<void> {
  await requestAgent(ctx, request, {
    name: 'scan-patches',
    input: {},
    action: 'view',
    object_type: 'winupdate',
    describe: () => 'Scanned for patches',
  })
}
