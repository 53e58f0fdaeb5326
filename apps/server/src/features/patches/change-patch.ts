import type { PatchAction } from '@muster/contract/api/patches'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { lockRow } from '../../platform/database/lock-row.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { countPending, parsePatches, type StoredPatch } from './queries.ts'
import { readPatchId } from './view.ts'

const DONE: Record<PatchAction, string> = {
  approve: 'Approved the patch',
  ignore: 'Ignored the patch',
  inherit: 'Reset the decision about the patch',
  nothing: 'Reset the decision about the patch',
}

/** Approves or ignores a patch of one machine. */
export function changePatch(
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
    // The machines table shows whether there are any.
    emit({ type: 'agent.changed', ...about, passing: true })
    return { agent, patch }
  })
}

function refuse(): never {
  throw new AppError('not_found', 'The machine does not have this patch to install any more.')
}
