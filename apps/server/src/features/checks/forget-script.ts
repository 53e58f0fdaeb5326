import type { Scene } from '../alerts/store-lives.ts'
import { forgetResults } from './forget-results.ts'
import { findScriptChecks } from './queries.ts'
import { redefineChecks } from './redefine-checks.ts'

/** Call before a script is deleted: machines stop running its checks, which become pending. */
export async function forgetScript(scene: Scene, scriptId: number, at: Date): Promise<void> {
  const { tx, emit } = scene
  const checks = await findScriptChecks(tx, scriptId)
  if (checks.length === 0) return
  await forgetResults(scene, checks, { at, why: 'The script of the check was deleted.' })
  await redefineChecks(tx, emit, { agentIds: checks.map(({ agent_id }) => agent_id) })
}
