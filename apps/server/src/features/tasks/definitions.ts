import { createHash } from 'node:crypto'
import { type DefinedAction, TaskDefinition } from '@muster/contract/agent/tasks'
import type { TaskAction } from '@muster/contract/api/tasks'
import type { Db } from '../../platform/database/database.ts'
import { readFields, scriptIdsOf } from './view.ts'

export interface DefinedTask {
  agent_id: string
  definition: TaskDefinition
}

type ScriptText = { id: number; name: string; shell: string; script_body: string }

const LONGEST_NAME = 255
/** More does not fit into what is sent to a machine at once. */
export const MOST_CHARACTERS = 1_500_000

/** What machines are told of these tasks. One of which a script is gone, that is too large or that rests has none. */
export async function findTaskDefinitions(db: Db, ids: readonly number[]): Promise<DefinedTask[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('tasks')
    .selectAll()
    .where('id', 'in', ids)
    .where('overridden_by', 'is', null)
    .orderBy('id')
    .execute()
  const scripts = await findScripts(db, rows.map(readFields).flatMap(scriptIdsOf))
  return rows.flatMap((row) => {
    const fields = readFields(row)
    const actions = fields.actions.map((action) => defineAction(action, scripts))
    if (actions.includes(undefined) || JSON.stringify(actions).length > MOST_CHARACTERS) return []
    // Parsing leaves out what the machine need not know.
    const definition = TaskDefinition.parse({
      ...fields,
      id: row.id,
      revision: '',
      schedule: fields,
      counts_from: row.counts_from,
      actions,
    })
    const { id: _, ...rest } = definition
    definition.revision = createHash('sha256').update(JSON.stringify(rest)).digest('hex').slice(0, 32)
    return [{ agent_id: row.agent_id, definition }]
  })
}

function defineAction(
  action: TaskAction,
  scripts: ReadonlyMap<number, ScriptText>,
): DefinedAction | undefined {
  const timeout_seconds = action.timeout
  if (action.type === 'cmd') {
    const { command, shell, custom_shell } = action
    const [name = ''] = command.split('\n')
    return {
      type: 'cmd',
      name: name.slice(0, LONGEST_NAME),
      timeout_seconds,
      shell,
      custom_shell,
      cmd: command,
    }
  }
  const script = scripts.get(action.script)
  if (script === undefined) return undefined
  return {
    type: 'script',
    name: script.name.slice(0, LONGEST_NAME),
    timeout_seconds,
    // Written by the scripts feature from the contract's list.
    interpreter: script.shell as Extract<DefinedAction, { type: 'script' }>['interpreter'],
    body: script.script_body,
    args: action.script_args,
    env_vars: action.env_vars,
  }
}

/** Each script once: many machines may run the same megabyte. */
async function findScripts(db: Db, ids: readonly number[]): Promise<Map<number, ScriptText>> {
  if (ids.length === 0) return new Map()
  const scripts = await db
    .selectFrom('scripts')
    .select(['id', 'name', 'shell', 'script_body'])
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(scripts.map((script) => [script.id, script]))
}
