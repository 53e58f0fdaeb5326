import { SERVER_CHECK_TYPES } from '@muster/contract/checks/server-checks'
import type { Db } from '../../../platform/database/database.ts'

export type DueCheck = Awaited<ReturnType<typeof findDueChecks>>[number]

/** Makes these server checks due now. A running one runs again afterwards. */
export async function makeDue(tx: Db, checkIds: number[], now: Date): Promise<void> {
  if (checkIds.length === 0) return
  await tx
    .insertInto('server_check_runs')
    .values(checkIds.map((check_id) => ({ check_id, due_at: now.toISOString() })))
    .onConflict((conflict) => conflict.column('check_id').doUpdateSet({ due_at: now.toISOString() }))
    .execute()
}

/** The server checks among these checks, or of the machine. */
export async function findServerChecks(db: Db, agentId: string, ids?: number[]): Promise<number[]> {
  const rows = await db
    .selectFrom('checks')
    .select('id')
    .where('agent_id', '=', agentId)
    .where('check_type', 'in', SERVER_CHECK_TYPES)
    .$if(ids !== undefined, (query) => query.where('id', 'in', ids?.length === 0 ? [0] : (ids ?? [])))
    .execute()
  return rows.map(({ id }) => id)
}

interface Claim {
  processId: string
  now: Date
  leaseMs: number
  limit: number
}

/**
 * Claims up to `limit` due runs. The condition is repeated outside, so that of two concurrent updates only the first
 * finds a row unclaimed.
 */
export function claimRuns(db: Db, { processId, now, leaseMs, limit }: Claim) {
  const at = now.toISOString()
  return db
    .updateTable('server_check_runs')
    .set({ claimed_by: processId, claimed_until: new Date(now.getTime() + leaseMs).toISOString() })
    .where((eb) =>
      eb(
        'check_id',
        'in',
        eb
          .selectFrom('server_check_runs')
          .select('check_id')
          .where('due_at', '<=', at)
          .where((free) => free.or([free('claimed_until', 'is', null), free('claimed_until', '<', at)]))
          .orderBy('due_at')
          .limit(limit),
      ),
    )
    .where('due_at', '<=', at)
    .where((free) => free.or([free('claimed_until', 'is', null), free('claimed_until', '<', at)]))
    .returning(['check_id', 'due_at'])
    .execute()
}

export function findDueChecks(db: Db, ids: number[]) {
  return db
    .selectFrom('checks')
    .innerJoin('agents', 'agents.agent_id', 'checks.agent_id')
    .select(['checks.id', 'checks.agent_id', 'check_type', 'settings', 'revision', 'run_interval'])
    .select('agents.check_interval')
    .where('checks.id', 'in', ids)
    .execute()
}

interface EndedRun {
  checkId: number
  processId: string
  /** The due time when it was claimed. A later change makes the check due again. */
  dueAt: string
  revision: string
  nextAt: Date
}

/** Ends a claim. Returns false if this process has lost it, and its result must be dropped. */
export async function endRun(
  tx: Db,
  { checkId, processId, dueAt, revision, nextAt }: EndedRun,
): Promise<boolean> {
  const ended = await tx
    .updateTable('server_check_runs')
    .set((eb) => ({
      due_at: eb
        .case()
        .when(
          eb.and([
            eb('due_at', '=', dueAt),
            eb.exists(
              eb.selectFrom('checks').select('id').where('id', '=', checkId).where('revision', '=', revision),
            ),
          ]),
        )
        .then(nextAt.toISOString())
        .else(eb.ref('due_at'))
        .end(),
      claimed_by: null,
      claimed_until: null,
    }))
    .where('check_id', '=', checkId)
    .where('claimed_by', '=', processId)
    .returning('check_id')
    .executeTakeFirst()
  return ended !== undefined
}

/** Releases claims of a killed earlier process. Only for a server that is alone on its database. */
export async function releaseRuns(db: Db, processId: string): Promise<void> {
  await db
    .updateTable('server_check_runs')
    .set({ claimed_by: null, claimed_until: null })
    .where('claimed_by', '!=', processId)
    .execute()
}
