import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import { forgetResults } from './forget-results.ts'
import { findScriptChecks } from './queries.ts'
import { redefineChecks } from './redefine-checks.ts'

/** Call it before a script is deleted: machines stop running its checks, which are pending from then on. */
export async function forgetScript(
  tx: Db,
  emit: (event: Event) => void,
  scriptId: number,
  at: Date,
): Promise<void> {
  const checks = await findScriptChecks(tx, scriptId)
  if (checks.length === 0) return
  await forgetResults(tx, emit, checks, at)
  await redefineChecks(tx, emit, { agentIds: checks.map(({ agent_id }) => agent_id) })
}
