import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import type { Scene } from '../alerts/store-lives.ts'
import { forgetResults } from './forget-results.ts'
import { findScriptChecks } from './queries.ts'
import { redefineChecks } from './redefine-checks.ts'

/** Call after a script has changed: machines that run it as a check get the new text. */
export async function redefineChecksOf(
  tx: Db,
  emit: (event: Event) => void,
  scriptId: number,
): Promise<void> {
  const checks = await findScriptChecks(tx, scriptId)
  await redefineChecks(tx, emit, { checkIds: checks.map(({ id }) => id) })
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
  await redefineChecks(tx, emit, { checkIds: checks.map(({ id }) => id) })
}

/** Call before a script is deleted: machines stop running its checks, which become pending. */
export async function forgetScript(scene: Scene, scriptId: number, at: Date): Promise<void> {
  const { tx, emit } = scene
  const checks = await findScriptChecks(tx, scriptId)
  if (checks.length === 0) return
  await forgetResults(scene, checks, { at, why: 'The script of the check was deleted.' })
  await redefineChecks(tx, emit, { agentIds: checks.map(({ agent_id }) => agent_id) })
}
