import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import type { TxContext } from '../alerts/store-alerts.ts'
import { resetResults } from './reset-results.ts'
import { findScriptChecks } from './queries.ts'
import { markChecksStale } from './mark-checks-stale.ts'

/** Call after a script has changed: machines that run it as a check get the new text. */
export async function redefineChecksOf(
  tx: Db,
  emit: (event: Event) => void,
  scriptId: number,
): Promise<void> {
  const checks = await findScriptChecks(tx, scriptId)
  await markChecksStale(tx, emit, { checkIds: checks.map(({ id }) => id) })
}

/** Call after a snippet has changed: the same for scripts that may include it. */
export async function redefineSnippetChecks(tx: Db, emit: (event: Event) => void): Promise<void> {
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
export async function forgetScript(txContext: TxContext, scriptId: number, at: Date): Promise<void> {
  const { tx, emit } = txContext
  const checks = await findScriptChecks(tx, scriptId)
  if (checks.length === 0) return
  await resetResults(txContext, checks, { at, why: 'The script of the check was deleted.' })
  await markChecksStale(tx, emit, { agentIds: checks.map(({ agent_id }) => agent_id) })
}
