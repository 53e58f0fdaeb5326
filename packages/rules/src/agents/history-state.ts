/** The states of a command or script sent to a machine, in the order in which they come. */
export const HISTORY_STATES = [
  'queued',
  'sent',
  'accepted',
  'running',
  'done',
  'failed',
  'expired',
  'cancelled',
] as const
export type HistoryState = (typeof HISTORY_STATES)[number]

export const HISTORY_TYPES = ['cmd_run', 'script_run', 'patch_install', 'package_install'] as const
export type HistoryType = (typeof HISTORY_TYPES)[number]

/** Those of which a machine does one at a time. */
export const INSTALL_TYPES: readonly HistoryType[] = ['patch_install', 'package_install']

// What the machine reports counts from any earlier state: reports may overtake the server's own writing, and a row
// that went back to the queue with the link may have reached the machine after all. Only what the machine has not
// accepted can go back to the queue or expire; what it has accepted it brings to an end, cancelled or not.
const NEXT: Record<HistoryState, readonly HistoryState[]> = {
  queued: ['sent', 'accepted', 'running', 'done', 'failed', 'expired', 'cancelled'],
  sent: ['queued', 'accepted', 'running', 'done', 'failed', 'expired', 'cancelled'],
  accepted: ['running', 'done', 'failed', 'cancelled'],
  running: ['done', 'failed', 'cancelled'],
  done: [],
  failed: [],
  expired: [],
  cancelled: [],
}

/** The states that may follow. */
export function nextStates(state: HistoryState): readonly HistoryState[] {
  return NEXT[state]
}

/** The states from which this one may be reached, for the condition of an update. */
export function previousStates(state: HistoryState): HistoryState[] {
  return HISTORY_STATES.filter((earlier) => NEXT[earlier].includes(state))
}

/** Whether a row may go from one state to the other. */
export function isLegalChange(from: HistoryState, to: HistoryState): boolean {
  return NEXT[from].includes(to)
}

/** Whether the work has come to its end, whichever it was. */
export function isFinal(state: HistoryState): boolean {
  return NEXT[state].length === 0
}

/** Whether a person may still cancel it: an installation only until the machine has it, or it would be left half done. */
export function canCancel({ state, type }: { state: HistoryState; type: HistoryType }): boolean {
  if (INSTALL_TYPES.includes(type) && state !== 'queued') return false
  return NEXT[state].includes('cancelled')
}
