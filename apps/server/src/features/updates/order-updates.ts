import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { chunk } from '../../platform/database/sql.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { emitActions, insertAction } from '../power/pending-actions/pending-actions.ts'
import { findCarriedAgent } from './carried-agent.ts'
import { findUpdateMachines, type UpdateMachine } from './queries.ts'

export const OFFER_JOB = 'updates.offer'

/** Orders the update of these machines. Those that have the version already are left alone. */
export async function orderUpdates(ctx: Context, caller: Caller, agentIds: readonly string[]): Promise<void> {
  const ids = [...new Set(agentIds)]
  const machines: UpdateMachine[] = []
  for (const slice of chunk(ids)) machines.push(...(await findUpdateMachines(ctx.db, caller, slice)))
  if (machines.length < ids.length)
    throw new AppError('not_found', 'One of these machines does not exist, or you may not see it.')
  const carried = await findCarriedAgent(ctx.config.agentFolder)
  if (carried === undefined)
    throw new AppError('unavailable', 'The agent has not been built. Start the server with npm start.')
  const unable = machines.find((one) => !one.can_update)
  if (unable !== undefined)
    throw new AppError(
      'conflict',
      `The agent of ${unable.hostname} cannot update itself. Install it again with a current installer.`,
    )
  const outdated = machines.filter((one) => one.version !== carried.version && !isRunning(one))
  await ctx.transaction(async (tx, emit) => {
    for (const machine of outdated) {
      await writeOrder(tx, { machine, version: carried.version, caller, now: ctx.now() })
      emitActions(emit, [], machine.agent_id)
    }
    for (const machine of outdated)
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'agent',
        message: `Ordered the update of the agent to version ${carried.version}`,
        before: { version: machine.version },
        after: { version: carried.version },
        agent: machine,
        at: ctx.now(),
        emit,
      })
    const changed = outdated.map(({ agent_id }) => agent_id)
    if (changed.length > 0) emit({ type: 'agent_update.changed', ids: changed, agent_ids: changed })
    await ctx.jobs.enqueue(OFFER_JOB, null, { db: tx })
  })
}

function isRunning({ update }: UpdateMachine): boolean {
  return update?.state === 'offered' || update?.state === 'downloading' || update?.state === 'installed'
}

async function writeOrder(
  tx: Db,
  order: { machine: UpdateMachine; version: string; caller: Caller; now: Date },
): Promise<void> {
  const { machine, version, caller, now } = order
  const { agent_id } = machine
  const row = {
    version,
    state: 'waiting' as const,
    reason: null,
    username: caller.username,
    changed_at: now.toISOString(),
  }
  await tx
    .insertInto('agent_updates')
    .values({ agent_id, ...row })
    .onConflict((conflict) => conflict.column('agent_id').doUpdateSet(row))
    .execute()
  const waiting = await tx
    .selectFrom('pending_actions')
    .select('id')
    .where('agent_id', '=', agent_id)
    .where('action_type', '=', 'agentupdate')
    .where('status', '=', 'pending')
    .executeTakeFirst()
  if (waiting !== undefined) return
  await insertAction(tx, {
    agent_id,
    action_type: 'agentupdate',
    status: 'pending',
    due: now.toISOString(),
    username: caller.username,
    entry_time: now.toISOString(),
    output: '',
  })
}
