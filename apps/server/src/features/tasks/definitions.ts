import { createHash } from 'node:crypto'
import { type DefinedAction, TaskDefinition } from '@muster/contract/agent/tasks'
import type { TaskAction, TaskFields } from '@muster/contract/api/tasks'
import type { Db } from '../../platform/database/database.ts'
import { loadSnippets } from '../scripts/expand-script.ts'
import {
  type CallMachine,
  loadCalls,
  type ScriptCalls,
  type UserMachine,
  userOf,
} from '../scripts/load-calls.ts'
import type { OpenKeys } from '../scripts/load-variables.ts'
import type { DefinitionKind } from '../../fleet/definition-sync.ts'
import { readFields, scriptIdsOf } from './view.ts'

export interface DefinedTask {
  agent_id: string
  definition: TaskDefinition
}

type ScriptText = { id: number; name: string; shell: string; script_body: string; run_as_user: 0 | 1 }

const MAX_NAME_LENGTH = 255
/** More does not fit into one command. */
export const MAX_CHARACTERS = 1_500_000

/**
 * The definitions that agents get for these tasks. Overridden tasks, too large ones, and those with a deleted script
 * have none. Without `keys`, keys of the key store stay sealed, which is enough to compute the revision: it is the same
 * either way.
 */
export async function findTaskDefinitions(
  db: Db,
  ids: readonly number[],
  keys?: OpenKeys,
): Promise<DefinedTask[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('tasks')
    .innerJoin('agents', 'agents.agent_id', 'tasks.agent_id')
    .leftJoin('policies', 'policies.id', 'tasks.policy_id')
    .selectAll('tasks')
    .select(['agents.hostname', 'agents.runs_as_user', 'policies.author_id as policy_author'])
    .where('tasks.id', 'in', ids)
    .where('overridden_by', 'is', null)
    .orderBy('tasks.id')
    .execute()
  const tasks = rows.map((row) => {
    const fields = readFields(row)
    const { id, agent_id, hostname, runs_as_user, counts_from } = row
    const author_id = row.policy_author ?? row.author_id
    return { id, agent_id, hostname, runs_as_user, author_id, counts_from, fields, actions: fields.actions }
  })
  const scripts = await findScripts(
    db,
    tasks.flatMap(({ fields }) => scriptIdsOf(fields)),
  )
  const calling = tasks.flatMap(({ agent_id, author_id, actions }) =>
    actions.flatMap((action) => (action.type === 'script' ? [{ agent_id, author_id, ...action }] : [])),
  )
  const [sealed, opened] = await loadCalls(db, calling, keys)
  return tasks.flatMap((task) => {
    const definition = defineTask(task, scripts, sealed)
    if (definition === undefined) return []
    const { id: _, ...rest } = definition
    const revision = createHash('sha256').update(JSON.stringify(rest)).digest('hex').slice(0, 32)
    const sent = opened === sealed ? definition : (defineTask(task, scripts, opened) ?? definition)
    return [{ agent_id: task.agent_id, definition: { ...sent, revision } }]
  })
}

interface LoadedTask extends CallMachine, UserMachine {
  id: number
  counts_from: string
  fields: TaskFields
}

function defineTask(
  task: LoadedTask,
  scripts: ReadonlyMap<number, ScriptText>,
  calls: ScriptCalls,
): TaskDefinition | undefined {
  const { id, counts_from, fields } = task
  const actions = fields.actions.map((action) =>
    action.type === 'cmd'
      ? defineCommand(action)
      : defineScript(action, scripts.get(action.script), calls, task),
  )
  if (actions.includes(undefined) || JSON.stringify(actions).length > MAX_CHARACTERS) return undefined
  // Parsing removes fields that agents do not need.
  return TaskDefinition.parse({ ...fields, id, revision: '', schedule: fields, counts_from, actions })
}

type Defined<Type> = Extract<DefinedAction, { type: Type }>
type Given<Type> = Extract<TaskAction, { type: Type }>

/** A command is text for a shell: variables are never replaced in it. */
function defineCommand({ command, shell, custom_shell, timeout }: Given<'cmd'>): Defined<'cmd'> {
  const [line = ''] = command.split('\n')
  const name = line.slice(0, MAX_NAME_LENGTH)
  return { type: 'cmd', name, timeout_seconds: timeout, shell, custom_shell, cmd: command }
}

function defineScript(
  action: Given<'script'>,
  script: ScriptText | undefined,
  calls: ScriptCalls,
  task: CallMachine & UserMachine,
): Defined<'script'> | undefined {
  if (script === undefined) return undefined
  return {
    type: 'script',
    name: script.name.slice(0, MAX_NAME_LENGTH),
    timeout_seconds: action.timeout,
    // Written by the scripts feature from the contract's list.
    interpreter: script.shell as Defined<'script'>['interpreter'],
    body: script.script_body,
    ...calls(task, action, script.shell),
    ...userOf(script, task),
  }
}

/** Each script once: many machines may run the same megabyte. */
async function findScripts(db: Db, ids: readonly number[]): Promise<Map<number, ScriptText>> {
  if (ids.length === 0) return new Map()
  const scripts = await db
    .selectFrom('scripts')
    .select(['id', 'name', 'shell', 'script_body', 'run_as_user'])
    .where('id', 'in', [...new Set(ids)])
    .execute()
  const expand = await loadSnippets(db)
  return new Map(scripts.map((script) => [script.id, { ...script, script_body: expand(script.script_body) }]))
}

/** Synchronizes task definitions. */
export const taskDefinitions: DefinitionKind<TaskDefinition> = {
  noun: 'tasks',
  version: 'tasks_version',
  event: 'task.redefined',
  mostAtOnce: 200,
  findWanted: (db, agentIds) =>
    db
      .selectFrom('tasks')
      .innerJoin('agents', 'agents.agent_id', 'tasks.agent_id')
      .select(['tasks.id', 'tasks.agent_id', 'revision'])
      .where('tasks.agent_id', 'in', agentIds)
      .where('revision', '!=', '')
      .where((eb) => eb.or([eb('server_machine', '=', 0), eb('revision', '=', eb.ref('approved_revision'))]))
      .orderBy('tasks.id')
      .execute(),
  define: ({ db, secrets }, ids) => findTaskDefinitions(db, ids, secrets),
}
