import type { WarnedAction } from '@muster/contract/agent/power'
import { makeVisible } from '@muster/rules/text/safe-text'
import type { StoredPlan } from './power-plans.ts'

const EARLY_MS = 5 * 60_000
const LATE_MS = 60_000
/** Two warnings are at least this far apart. */
const APART_MS = 30_000

/** The next warning after one at `nowMs`: five minutes before, then one minute before; undefined if there is none. */
export function nextWarningAt(dueMs: number, nowMs: number): number | undefined {
  return [dueMs - EARLY_MS, dueMs - LATE_MS].find((atMs) => atMs >= nowMs + APART_MS)
}

const TITLES: Record<WarnedAction, string> = {
  reboot: 'Restart planned',
  shutdown: 'Shutdown planned',
  sign_out: 'Sign-out planned',
}
const SENTENCES: Record<WarnedAction, { planned: string; cancelled: string }> = {
  reboot: { planned: 'This computer restarts', cancelled: 'The restart' },
  shutdown: { planned: 'This computer shuts down', cancelled: 'The shutdown' },
  sign_out: { planned: 'You are signed out of this computer', cancelled: 'The sign-out' },
}

export interface Warning {
  title: string
  text: string
  /** Absent if the user may not postpone it. */
  question?: { ask: string; yes: string; no: string }
}

/** The warning for the user at the machine, in the machine's own time. */
export function describeWarning(
  plan: Pick<StoredPlan, 'action' | 'author' | 'dueMs' | 'message' | 'postpone_seconds' | 'postponements'>,
  kind: 'planned' | 'cancelled',
): Warning {
  const { action, author, dueMs, message, postpone_seconds, postponements } = plan
  const sentence = SENTENCES[action][kind]
  const time = describeTime(new Date(dueMs))
  if (kind === 'cancelled')
    return { title: 'Cancelled', text: `${sentence} planned for ${time} is cancelled.` }
  const words = message.trim() === '' ? '' : `\n\n${showMessage(message)}`
  const text = `${sentence} at ${time}. Save your work.${words}\n\nPlanned by ${makeVisible(author)}.`
  if (postponements === 0) return { title: TITLES[action], text }
  const minutes = Math.round(postpone_seconds / 60)
  const question = {
    ask: `Postpone by ${minutes} minutes?`,
    yes: `Postpone ${minutes} minutes`,
    no: 'Keep the time',
  }
  return { title: TITLES[action], text, question }
}

const MAX_LINES = 5

/** Without active characters, and so short that the name of the author below it stays visible. */
function showMessage(message: string): string {
  const lines = makeVisible(message)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return [...lines.slice(0, MAX_LINES - 1), lines.slice(MAX_LINES - 1).join(' ')].join('\n').trim()
}

/** `18:35`, with the date if it is another day than today. */
function describeTime(at: Date): string {
  const two = (number: number) => String(number).padStart(2, '0')
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`
  if (at.toDateString() === new Date().toDateString()) return time
  return `${time} on ${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}
