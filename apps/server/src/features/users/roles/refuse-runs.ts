import type { CheckSettings } from '@muster/contract/api/checks'
import type { TaskFields } from '@muster/contract/api/tasks'
import { AppError } from '@muster/contract/errors'
import type { Permission } from '@muster/contract/permissions'
import type { Db } from '../../../platform/database/database.ts'
import { authorOf, type Caller, mayDo } from '../../../platform/http/caller.ts'
import { type Author, findKeyRefusal } from '../../keystore/key-use.ts'

/** A command or script that runs later without a user. */
export interface Run {
  kind: 'cmd' | 'script' | 'server'
  /** Start of the refusal: `The task "Nightly"`. */
  what: string
  /** Equal for the same code with the same arguments in the same assignment. */
  digest: string
  /** Arguments and variables, which may name keys of the store. */
  texts: readonly string[]
}

const KINDS: Record<Run['kind'], { text: string; permission: Permission }> = {
  cmd: { text: 'a command', permission: 'can_send_cmd' },
  script: { text: 'a script', permission: 'can_run_scripts' },
  server: { text: 'a script on the server', permission: 'can_run_server_scripts' },
}

interface Saved {
  before?: { runs: readonly Run[]; author: Author } | undefined
  after: readonly Run[]
}

/**
 * Tasks, checks, policies and alert templates run commands and scripts later: configuring one requires the right to run
 * the same directly, with the same keys of the store. Existing runs may stay. Returns the author to store: keys are
 * read with this user's role.
 */
export async function refuseRuns(db: Db, caller: Caller, { before, after }: Saved): Promise<Author> {
  const known = new Set(before?.runs.map(keyOf))
  const added = after.filter((run) => !known.has(keyOf(run)))
  for (const { kind, what } of added) {
    const { text, permission } = KINDS[kind]
    if (mayDo(caller, permission)) continue
    throw new AppError('not_allowed', `${what} runs ${text}. Your role needs ${permission} to configure it.`)
  }
  const author = before?.author ?? null
  if (added.length === 0 && author !== null) return author
  // One author is stored for all runs: keys in existing ones are read with the same role from now on.
  const refusal = await findKeyRefusal(
    db,
    authorOf(caller),
    after.flatMap(({ texts }) => texts),
  )
  if (refusal === undefined) return authorOf(caller)
  if (added.length === 0) return null
  throw new AppError('not_allowed', refusal)
}

export function runsOfTask({ name, actions }: Pick<TaskFields, 'name' | 'actions'>): Run[] {
  return actions.map((action): Run => {
    const what = `The task "${name}"`
    if (action.type === 'cmd') {
      const { command, shell, custom_shell } = action
      return { kind: 'cmd', what, digest: JSON.stringify([command, shell, custom_shell]), texts: [] }
    }
    const { script, script_args, env_vars } = action
    const digest = JSON.stringify([script, script_args, env_vars])
    return { kind: 'script', what, digest, texts: [...script_args, ...env_vars] }
  })
}

export function runsOfCheck(settings: CheckSettings, what: string): Run[] {
  if (settings.check_type !== 'script') return []
  const { script, script_args, env_vars } = settings
  const digest = JSON.stringify([script, script_args, env_vars])
  return [{ kind: 'script', what, digest, texts: [...script_args, ...env_vars] }]
}

function keyOf({ kind, digest }: Run): string {
  return `${kind} ${digest}`
}
