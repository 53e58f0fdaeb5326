import { AppError } from '@muster/contract/errors'
import type { OwnPatchPolicy } from '@muster/contract/policies/patch-policy'
import type { OwnWinUpdateChange } from '@muster/contract/policies/win-update-policy'
import type { Context } from '../../../context.ts'
import type { InTransaction } from '../../../hooks.ts'
import type { Db } from '../../../platform/database/database.ts'
import { type Caller, mayDo } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { readOwn } from './machine-policy.ts'
import { readOwnWinUpdate } from './win-update-policy.ts'

interface Machine {
  id: number
  agent_id: string
  hostname: string
}

/** Sets sections of a machine's own patch policy; null = from its policies. Policies are applied after the commit. */
export function setOwnPolicy(
  ctx: Context,
  caller: Caller,
  { agent, sections }: { agent: Machine; sections: OwnPatchPolicy },
): Promise<void> {
  return ctx.transaction(async (tx, emit) =>
    writeOwn({ ctx, tx, emit, caller }, agent, { before: await findOwn(tx, agent.id), sections }),
  )
}

/** The same in the words of other products. */
export async function changeOwnWinUpdate(
  parts: InTransaction & { caller: Caller },
  agent: Machine,
  given: OwnWinUpdateChange[],
): Promise<void> {
  const { tx, caller } = parts
  const mayManage = mayDo(caller, 'can_manage_winupdates')
  // Such a caller sees no patch policy, and sends back the empty list.
  if (!mayManage && given.length === 0) return
  const before = await findOwn(tx, agent.id)
  const sections = readOwnWinUpdate(before, given)
  if (Object.keys(sections).length === 0) return
  if (!mayManage)
    throw new AppError(
      'not_allowed',
      'Your role needs can_manage_winupdates to change the patch policy of a machine.',
    )
  await writeOwn(parts, agent, { before, sections })
}

async function writeOwn(
  { ctx, tx, emit, caller }: InTransaction & { caller: Caller },
  agent: Machine,
  { before, sections }: { before: OwnPatchPolicy; sections: OwnPatchPolicy },
): Promise<void> {
  if ((sections.reboot?.when ?? 'never') !== 'never' && !mayDo(caller, 'can_reboot_agents'))
    throw new AppError('not_allowed', 'Your role needs can_reboot_agents to let patches restart the machine.')
  const merged = Object.entries({ ...before, ...sections })
  const own = Object.fromEntries(merged.filter(([, value]) => value !== null && value !== undefined))
  await tx
    .insertInto('machine_patch_policies')
    .values({ agent: agent.id, own: JSON.stringify(own), judge_at: null, next_at: null, next_until: null })
    .onConflict((conflict) => conflict.column('agent').doUpdateSet({ own: JSON.stringify(own) }))
    .execute()
  await audit(tx, {
    caller,
    action: 'modify',
    object_type: 'winupdatepolicy',
    message: `Changed the own patch policy of "${agent.hostname}"`,
    before,
    after: own,
    agent,
    at: ctx.now(),
    emit,
  })
  // The policies of the machine are applied after this event.
  emit({ type: 'agent.changed', ids: [agent.agent_id], agent_ids: [agent.agent_id] })
  emit({ type: 'patches.changed', ids: [agent.agent_id], agent_ids: [agent.agent_id] })
}

async function findOwn(db: Db, agent: number): Promise<OwnPatchPolicy> {
  const row = await db
    .selectFrom('machine_patch_policies')
    .select('own')
    .where('agent', '=', agent)
    .executeTakeFirst()
  return readOwn(row?.own ?? '{}')
}
