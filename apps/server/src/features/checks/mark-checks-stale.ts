import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { chunk } from '../../platform/database/sql.ts'
import { emitDefinitionsChanged } from '../../fleet/definition-sync.ts'
import type { TxContext } from '../alerts/store-alerts.ts'
import { findDefinitions, findServerRevisions } from './definitions.ts'
import { makeDue } from './from-server/run-queries.ts'
import { findChecksOfInterval, findScriptChecks } from './queries.ts'
import { resetResults } from './reset-results.ts'

type Revised = { id: number; agent_id: string; revision: string }
type Emit = (event: Event) => void

/** Call it after the interval of a machine has changed, in which checks without one of their own run. */
export async function markIntervalChecksStale(tx: Db, emit: Emit, agentId: string): Promise<void> {
  await markChecksStale(tx, emit, { checkIds: await findChecksOfInterval(tx, agentId) })
}

/**
 * Call in the transaction of every change that may affect check definitions: it updates their revisions and the
 * versions of their machines, and notifies the processes with their links after the commit. Server checks are due now.
 * `agentIds`: machines that lose a check. What a superuser changes on a machine of a server stays approved,
 * or is if it is new.
 */
export async function markChecksStale(
  tx: Db,
  emit: Emit,
  changed: { checkIds?: number[]; agentIds?: string[]; by?: Pick<Caller, 'isSuperuser'> },
): Promise<void> {
  const stale: { id: number; agent_id: string }[] = []
  for (const ids of chunk(changed.checkIds ?? [])) {
    const approved = changed.by?.isSuperuser === true ? await findApproved(tx, ids) : []
    stale.push(...(await storeRevisions(tx, ids)))
    await rescheduleServerChecks(tx, ids)
    if (approved.length > 0) await approveChecks(tx, approved)
  }
  const agentIds = [...new Set([...stale.map(({ agent_id }) => agent_id), ...(changed.agentIds ?? [])])]
  for (const ids of chunk(agentIds)) await raiseVersions(tx, ids)
  emitDefinitionsChanged(emit, 'check.redefined', { stale, agentIds })
}

/** Also new ones. Of the others, a superuser may not have seen what changed. */
async function findApproved(tx: Db, ids: readonly number[]): Promise<number[]> {
  const rows = await tx
    .selectFrom('checks')
    .select('id')
    .where('id', 'in', ids)
    .whereRef('revision', '=', 'approved_revision')
    .execute()
  return rows.map(({ id }) => id)
}

const approveChecks = (tx: Db, ids: readonly number[]) =>
  tx
    .updateTable('checks')
    .set((eb) => ({ approved_revision: eb.ref('revision') }))
    .where('id', 'in', ids)
    .execute()

/** A superuser has approved these checks of a machine of a server as they are, so it gets them. */
export async function markChecksApproved(
  tx: Db,
  emit: Emit,
  { agentId, checkIds }: { agentId: string; checkIds: readonly number[] },
): Promise<void> {
  for (const ids of chunk(checkIds)) await approveChecks(tx, ids)
  await markChecksStale(tx, emit, { agentIds: [agentId] })
}

async function rescheduleServerChecks(tx: Db, ids: number[]): Promise<void> {
  const changed = await keepRevisions(tx, ids, await findServerRevisions(tx, ids))
  const changedIds = changed.map(({ id }) => id)
  await makeDue(tx, changedIds, new Date(0))
}

/** Returns those whose revision changed. */
async function storeRevisions(tx: Db, ids: number[]): Promise<{ id: number; agent_id: string }[]> {
  const found = await findDefinitions(tx, ids)
  const defined = found.map(({ agent_id, definition: { id, revision } }) => ({ id, agent_id, revision }))
  return keepRevisions(tx, ids, defined)
}

async function keepRevisions(tx: Db, ids: number[], found: Revised[]): Promise<Revised[]> {
  const stored = await tx.selectFrom('checks').select(['id', 'revision']).where('id', 'in', ids).execute()
  const before = new Map(stored.map(({ id, revision }) => [id, revision]))
  const changed = found.filter(({ id, revision }) => revision !== before.get(id))
  for (const [revision, same] of Map.groupBy(changed, (one) => one.revision)) {
    const sameIds = same.map(({ id }) => id)
    await tx.updateTable('checks').set({ revision }).where('id', 'in', sameIds).execute()
  }
  return changed
}

async function raiseVersions(tx: Db, agentIds: string[]): Promise<void> {
  await tx
    .updateTable('agents')
    .set((eb) => ({ checks_version: eb('checks_version', '+', 1) }))
    .where('agent_id', 'in', agentIds)
    .execute()
}

/** Call after a script has changed: machines that run it as a check get the new text. */
export async function markScriptChecksStale(
  tx: Db,
  emit: (event: Event) => void,
  scriptId: number,
): Promise<void> {
  const checks = await findScriptChecks(tx, scriptId)
  await markChecksStale(tx, emit, { checkIds: checks.map(({ id }) => id) })
}

/** Call after these machines can run scripts as the signed-in user, or no longer. */
export async function markUserChecksStale(tx: Db, emit: Emit, agentIds: readonly string[]): Promise<void> {
  const checks = await tx
    .selectFrom('checks')
    .innerJoin('scripts', 'scripts.id', 'checks.script_id')
    .select('checks.id')
    .where('checks.agent_id', 'in', agentIds)
    .where('scripts.run_as_user', '=', 1)
    .orderBy('checks.id')
    .execute()
  if (checks.length > 0) await markChecksStale(tx, emit, { checkIds: checks.map(({ id }) => id) })
}

/** Call after a snippet has changed: the same for scripts that may include it. */
export async function markSnippetChecksStale(tx: Db, emit: (event: Event) => void): Promise<void> {
  const checks = await tx
    .selectFrom('checks')
    .innerJoin('scripts', 'scripts.id', 'checks.script_id')
    .select('checks.id')
    .where('script_body', 'like', '%{{%')
    .orderBy('checks.id')
    .execute()
  await markChecksStale(tx, emit, { checkIds: checks.map(({ id }) => id) })
}

/** Call before a script is deleted: machines stop running its checks, which become pending. */
export async function removeScriptFromChecks(
  txContext: TxContext,
  scriptId: number,
  at: Date,
): Promise<void> {
  const { tx, emit } = txContext
  const checks = await findScriptChecks(tx, scriptId)
  if (checks.length === 0) return
  await resetResults(txContext, checks, { at, why: 'The script of the check was deleted.' })
  await markChecksStale(tx, emit, { agentIds: checks.map(({ agent_id }) => agent_id) })
}
