import type { CheckSettings } from '@muster/contract/api/checks'
import { hasVariables } from '@muster/rules/script-variables'
import type { Db } from '../../platform/database/database.ts'
import { readyCall } from '../scripts/fill-variables.ts'
import { loadVariables, type OpenKeys, type VariableBook } from '../scripts/load-variables.ts'
import { readSettings } from './view.ts'

export interface CallRow {
  agent_id: string
  hostname: string
}
type ScriptSettings = Extract<CheckSettings, { check_type: 'script' }>

/** How the script of a check is called on its machine, or why it cannot be. */
export type CheckCalls = (
  row: CallRow,
  settings: ScriptSettings,
  shell: string,
) => { args: string[]; env_vars: string[]; secrets?: string[]; problem?: string }

/** The calls of these checks, once with keys as they are sealed and once with their values. */
export async function loadCalls(
  db: Db,
  rows: (CallRow & Parameters<typeof readSettings>[0])[],
  keys: OpenKeys,
): Promise<[sealed: CheckCalls, opened: CheckCalls]> {
  const calling = rows.flatMap((row) => {
    const settings = readSettings(row)
    return settings.check_type === 'script' && textsOf(settings).some(hasVariables) ? [{ row, settings }] : []
  })
  const wanted = {
    agentIds: calling.map(({ row }) => row.agent_id),
    texts: calling.flatMap(({ settings }) => textsOf(settings)),
  }
  const sealed = callsWith(await loadVariables(db, undefined, wanted))
  if (keys === undefined || wanted.texts.length === 0) return [sealed, sealed]
  return [sealed, callsWith(await loadVariables(db, keys, wanted))]
}

function callsWith(book: VariableBook): CheckCalls {
  return ({ agent_id: agentId, hostname }, settings, shell) => {
    const call = { args: settings.script_args, env_vars: settings.env_vars }
    const { args, env_vars, secrets, problem } = readyCall(
      { agentId, hostname, shell },
      call,
      book.valuesOf(agentId, shell),
    )
    // Such a check is told all the same: its result then says what is missing.
    if (problem !== undefined) return { ...call, problem: problem.slice(0, 500) }
    return { args, env_vars, ...(secrets.length === 0 ? {} : { secrets }) }
  }
}

function textsOf({ script_args, env_vars }: ScriptSettings): string[] {
  return [...script_args, ...env_vars]
}
