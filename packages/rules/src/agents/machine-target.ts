import { parseSearch, type SearchableMachine, searchText } from '../search/machine-search.ts'

/**
 * A search as the target of a policy: the syntax of the machines table, without properties that change all the time.
 */

export type TargetableMachine = Omit<
  SearchableMachine,
  | 'status'
  | 'connected'
  | 'last_seen'
  | 'logged_username'
  | 'maintenance_mode'
  | 'needs_reboot'
  | 'has_patches_pending'
  | 'pending_actions_count'
  | 'checks'
>

/** Why a search cannot be the target of a policy, as a sentence. */
export function findTargetProblem(search: string): string | undefined {
  const { words, flags } = parseSearch(search)
  const [state] = flags
  if (state !== undefined) {
    return `A policy cannot use "${state}". Its content would change with the state of the machine.`
  }
  return words.length === 0 ? 'Enter a search for the machines.' : undefined
}

/** The searchable text of a machine for policies: all but presence and user, which change all the time. */
export function targetText(machine: TargetableMachine): string {
  const text = searchText({
    ...machine,
    logged_username: '',
    status: 'online',
    connected: true,
    last_seen: null,
    maintenance_mode: false,
    needs_reboot: false,
    has_patches_pending: false,
    pending_actions_count: 0,
    checks: { has_failing_checks: false, total: 0, old: 0, pending: 0 },
  })
  // The presence is a constant here, so a search for it is useless.
  return text
    .split('\n')
    .filter((line) => line !== 'online')
    .join('\n')
}

export function compileTarget(search: string): (text: string) => boolean {
  const { words } = parseSearch(search)
  return (text) => words.length > 0 && words.every((word) => text.includes(word))
}
