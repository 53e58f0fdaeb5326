import { hasVariables } from '@muster/rules/agents/script-variables'
import type { Db } from '../../platform/database/database.ts'
import type { Author } from '../keystore/key-use.ts'
import { readyCall } from './fill-variables.ts'
import { loadVariables, type OpenKeys, type VariableValues } from './load-variables.ts'

export interface CallMachine {
  author_id: Author
  agent_id: string
  hostname: string
}
interface CallTexts {
  script_args: string[]
  env_vars: string[]
}

/** The call of a stored script of a check or task on a machine, or why it cannot be called. */
export type ScriptCalls = (
  machine: CallMachine,
  texts: CallTexts,
  shell: string,
) => { args: string[]; env_vars: string[]; secrets?: string[]; problem?: string }

/** `runs_as_user`: null = the agent has never said whether it can run scripts as the signed-in user. */
export interface UserMachine {
  hostname: string
  runs_as_user: 0 | 1 | null
}

/**
 * Whose rights a script gets on a machine, as a part of its definition. An agent that knows only its own, which are those
 * of the system, gets no script but the reason.
 */
export function userOf(
  script: { run_as_user: 0 | 1 },
  { hostname, runs_as_user }: UserMachine,
):
  | { run_as_user?: { signed_in: true } }
  | { body: string; args: string[]; env_vars: string[]; secrets: string[]; problem: string } {
  if (script.run_as_user === 0) return {}
  if (runs_as_user === 1) return { run_as_user: { signed_in: true } }
  const problem = `The agent of ${hostname} is too old to run scripts as the signed-in user. Update the agent.`
  return { body: '', args: [], env_vars: [], secrets: [], problem: problem.slice(0, 500) }
}

/** The calls of these scripts, once with sealed keys and once with their values. */
export async function loadCalls(
  db: Db,
  scripts: readonly (Pick<CallMachine, 'agent_id' | 'author_id'> & CallTexts)[],
  keys: OpenKeys,
): Promise<[sealed: ScriptCalls, opened: ScriptCalls]> {
  const calling = scripts
    .map(({ agent_id, author_id, script_args, env_vars }) => ({
      agent_id,
      author_id,
      texts: [...script_args, ...env_vars],
    }))
    .filter(({ texts }) => texts.some(hasVariables))
  const wanted = {
    agentIds: calling.map(({ agent_id }) => agent_id),
    authors: calling.map(({ author_id }) => author_id),
    texts: calling.flatMap(({ texts }) => texts),
  }
  const sealed = callsWith(await loadVariables(db, undefined, wanted))
  if (keys === undefined || calling.length === 0) return [sealed, sealed]
  return [sealed, callsWith(await loadVariables(db, keys, wanted))]
}

function callsWith(book: VariableValues): ScriptCalls {
  return ({ agent_id: agentId, hostname, author_id: author }, { script_args: args, env_vars }, shell) => {
    const call = { args, env_vars }
    const filled = readyCall(
      { agentId, hostname, shell, author },
      call,
      book.valuesOf(agentId, shell, author),
    )
    // Sent to the machine anyway, so that its result shows the problem.
    if (filled.problem !== undefined) return { ...call, problem: filled.problem.slice(0, 500) }
    const { secrets } = filled
    return {
      args: filled.args,
      env_vars: filled.env_vars,
      ...(secrets.length === 0 ? {} : { secrets }),
    }
  }
}
