import {
  editPatch,
  getPatchStatus,
  installPatches,
  listPatches,
  type PatchAction,
  scanPatches,
} from '@muster/contract/api/patches'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { requestAgent } from '../agents/request-agent.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { startInstall } from '../runs/start-install.ts'
import { lockRow } from '../../platform/database/change-row.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import {
  countPending,
  parsePatches,
  readPatches,
  readPatchId,
  readPatchStatus,
  type StoredPatch,
  viewPatch,
} from './queries.ts'

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
    await requestAgent(
      ctx,
      { fleet, caller, agentId: agent.agent_id },
      {
        name: 'scan-patches',
        input: {},
        action: 'view',
        object_type: 'winupdate',
        describe: () => 'Scanned for patches',
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
}

const DONE: Record<PatchAction, string> = {
  approve: 'Approved the patch',
  ignore: 'Ignored the patch',
  inherit: 'Reset the decision about the patch',
  nothing: 'Reset the decision about the patch',
}

/** Approves or ignores a patch of one machine. */
function changePatch(
  ctx: Context,
  caller: Caller,
  { id, action }: { id: number; action: PatchAction },
): Promise<{ agent: number; patch: StoredPatch }> {
  const { agent, number } = readPatchId(id)
  return ctx.transaction(async (tx, emit) => {
    const machine = await tx
      .selectFrom('agents')
      .innerJoin('sites', 'sites.id', 'agents.site_id')
      .select(['agents.agent_id', 'agents.hostname'])
      .where('agents.id', '=', agent)
      .where(visibleTo(caller))
      .executeTakeFirst()
    if (machine === undefined) refuse()
    await lockRow(tx, 'machine_patches', 'agent', agent)
    const row = await tx
      .selectFrom('machine_patches')
      .select(['patches', 'left_out'])
      .where('agent', '=', agent)
      .executeTakeFirst()
    const patches = row === undefined ? [] : parsePatches(row.patches)
    const before = patches.find((patch) => patch.number === number)
    if (row === undefined || before === undefined) refuse()
    if (before.action === action) return { agent, patch: before }
    const patch = { ...before, action }
    const changed = patches.map((one) => (one.number === number ? patch : one))
    await tx
      .updateTable('machine_patches')
      .set({ patches: JSON.stringify(changed), pending: countPending(changed, row.left_out) })
      .where('agent', '=', agent)
      .execute()
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'winupdate',
      message: `${DONE[action]} "${before.title}" of "${machine.hostname}"`,
      before: { action: before.action },
      after: { guid: before.guid, version: before.version, action },
      agent: machine,
      at: ctx.now(),
      emit,
    })
    const about = { ids: [machine.agent_id], agent_ids: [machine.agent_id] }
    emit({ type: 'patches.scanned', ...about })
    // The machines table shows the number of patches.
    emit({ type: 'agent.changed', ...about, passing: true })
    return { agent, patch }
  })
}

function refuse(): never {
  throw new AppError('not_found', 'This patch is no longer available. Scan again.')
}
