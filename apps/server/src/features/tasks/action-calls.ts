import type { TaskAction } from '@muster/contract/api/tasks'
import { hasVariables } from '@muster/rules/script-variables'
import type { Db } from '../../platform/database/database.ts'
import { readyCall } from '../scripts/fill-variables.ts'
import { loadVariables, type OpenKeys, type VariableBook } from '../scripts/load-variables.ts'

export interface TaskOf {
  agent_id: string
  hostname: string
}
type ScriptAction = Extract<TaskAction, { type: 'script' }>

/** How the script of an action is called on its machine, or why it cannot be. */
export type ActionCalls = (
  task: TaskOf,
  action: ScriptAction,
  shell: string,
) => { args: string[]; env_vars: string[]; secrets?: string[]; problem?: string }

/** The calls of the actions of these tasks, once with keys as they are sealed and once with their values. */
export async function loadActionCalls(
  db: Db,
  tasks: readonly (TaskOf & { actions: readonly TaskAction[] })[],
  keys: OpenKeys,
): Promise<[sealed: ActionCalls, opened: ActionCalls]> {
  const calling = tasks.flatMap(({ agent_id, actions }) => {
    const texts = actions.flatMap((action) => (action.type === 'script' ? textsOf(action) : []))
    return texts.some(hasVariables) ? [{ agent_id, texts }] : []
  })
  const wanted = {
    agentIds: calling.map(({ agent_id }) => agent_id),
    texts: calling.flatMap(({ texts }) => texts),
  }
  const sealed = callsWith(await loadVariables(db, undefined, wanted))
  if (keys === undefined || wanted.texts.length === 0) return [sealed, sealed]
  return [sealed, callsWith(await loadVariables(db, keys, wanted))]
}

function callsWith(book: VariableBook): ActionCalls {
  return ({ agent_id: agentId, hostname }, { script_args, env_vars }, shell) => {
    const call = { args: script_args, env_vars }
    const filled = readyCall({ agentId, hostname, shell }, call, book.valuesOf(agentId, shell))
    // The machine is told of it all the same: the run then says what is missing.
    if (filled.problem !== undefined) return { ...call, problem: filled.problem.slice(0, 500) }
    const { args, secrets } = filled
    return { args, env_vars: filled.env_vars, ...(secrets.length === 0 ? {} : { secrets }) }
  }
}

const textsOf = ({ script_args, env_vars }: ScriptAction) => [...script_args, ...env_vars]
