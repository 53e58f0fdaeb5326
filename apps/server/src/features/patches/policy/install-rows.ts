import { isFinal } from '@muster/rules/agents/history-state'
import type { Selectable } from 'kysely'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { PatchInstallsTable } from '../../../platform/database/tables/software.ts'

export type InstallRow = Selectable<PatchInstallsTable>

/** Rows read at once. The others follow in the next minute. */
const AT_ONCE = 500

/** Rows whose run has ended. A deleted run has ended as well. */
export function findEnded(db: Db) {
  return db
    .selectFrom('patch_installs')
    .leftJoin('agent_history', 'agent_history.id', 'patch_installs.history_id')
    .innerJoin('agents', 'agents.id', 'patch_installs.agent')
    .selectAll('patch_installs')
    .select(['agents.agent_id', 'hostname', 'agent_history.state as run_state', 'agent_history.retcode'])
    .select('agent_history.reason as run_reason')
    .where('patch_installs.state', '=', 'running')
    .where('patch_installs.history_id', 'is not', null)
    .where((eb) =>
      eb.or([eb('agent_history.id', 'is', null), eb('agent_history.state', 'in', [...FINAL_STATES])]),
    )
    .orderBy('patch_installs.id')
    .limit(AT_ONCE)
    .execute()
}
export type EndedInstall = Awaited<ReturnType<typeof findEnded>>[number]

const FINAL_STATES = (['done', 'failed', 'expired', 'cancelled'] as const).filter(isFinal)

/** Rows that something is to be done for: their machine is connected, or their time is over. */
export function findWaiting(db: Db, now: Date) {
  const at = now.toISOString()
  return db
    .selectFrom('patch_installs')
    .innerJoin('agents', 'agents.id', 'patch_installs.agent')
    .selectAll('patch_installs')
    .select(['agents.agent_id', 'hostname', 'connected'])
    .where('patch_installs.state', '=', 'running')
    .where('patch_installs.next_at', '<=', at)
    .where((eb) =>
      eb.or([
        eb('agents.connected', '=', 1),
        eb(eb.fn.coalesce('patch_installs.ends_at', 'patch_installs.until'), '<', at),
      ]),
    )
    .orderBy('patch_installs.id')
    .limit(AT_ONCE)
    .execute()
}
export type WaitingInstall = Awaited<ReturnType<typeof findWaiting>>[number]

/** Changes a row if it still has the step, the run and the time that were read. Returns whether it did. */
export async function changeInstall(
  db: Db,
  { id, step, history_id, next_at }: Pick<InstallRow, 'id' | 'step' | 'history_id' | 'next_at'>,
  values: Partial<Omit<InstallRow, 'id'>>,
): Promise<boolean> {
  const changed = await db
    .updateTable('patch_installs')
    .set(values)
    .where('id', '=', id)
    .where('state', '=', 'running')
    .where('step', '=', step)
    .where('history_id', history_id === null ? 'is' : '=', history_id)
    .where('next_at', next_at === null ? 'is' : '=', next_at)
    .returning('id')
    .execute()
  return changed.length > 0
}

/** The values of a row that has ended. */
export function ended(now: Date, state: InstallRow['state'], reason: string | null) {
  return { state, reason, next_at: null, finished_at: now.toISOString() }
}

/** Lists of patches and failures show the end of an installation. */
export function emitInstalls(ctx: Context, agentId: string): void {
  ctx.emit({ type: 'patches.changed', ids: [agentId], agent_ids: [agentId] })
}
