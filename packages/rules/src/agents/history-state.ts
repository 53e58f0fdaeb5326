/** The states of a command or script, in order. */
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

export const HISTORY_TYPES = [
  'cmd_run',
  'script_run',
  'patch_install',
  'package_install',
  'file_push',
] as const
export type HistoryType = (typeof HISTORY_TYPES)[number]

/** A machine runs only one of these at a time. */
export const INSTALL_TYPES: readonly HistoryType[] = ['patch_install', 'package_install']

// Reports of the machine are accepted from any earlier state: they may arrive before the server's own update, and a
// row that was requeued when the link broke may have reached the machine after all. Only rows that the machine has
// not accepted can return to the queue or expire; it finishes those that it has accepted, cancelled or not.
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

/** The states that may precede this one, for the condition of an update. */
export function previousStates(state: HistoryState): HistoryState[] {
  return HISTORY_STATES.filter((earlier) => NEXT[earlier].includes(state))
}

/** Whether a row may change from one state to the other. */
export function isLegalChange(from: HistoryState, to: HistoryState): boolean {
  return NEXT[from].includes(to)
}

/** Whether the run has ended. */
export function isFinal(state: HistoryState): boolean {
  return NEXT[state].length === 0
}

/**
 * Whether a user may still cancel it: an installation only until the machine has started it, or it would be
 * incomplete.
 */
export function canCancel({ state, type }: { state: HistoryState; type: HistoryType }): boolean {
  if (INSTALL_TYPES.includes(type) && state !== 'queued') return false
  return NEXT[state].includes('cancelled')
}
