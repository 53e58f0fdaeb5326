import { parseSearch, type SearchableMachine, searchText } from '../search/machine-search.ts'

/** A search as the target of a policy: the same words as in the machines table, of what does not come and go. */

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
    return `A policy cannot follow "${state}": what a machine has would come and go with its state.`
  }
  return words.length === 0 ? 'Write what the machines have in common.' : undefined
}

/** What a search of a policy looks at: all but presence and the user, with which a policy would come and go. */
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
  // The presence is a line of its own, the same for every machine here: nobody looks for that.
  return text
    .split('\n')
    .filter((line) => line !== 'online')
    .join('\n')
}

export function compileTarget(search: string): (text: string) => boolean {
  const { words } = parseSearch(search)
  return (text) => words.length > 0 && words.every((word) => text.includes(word))
}
