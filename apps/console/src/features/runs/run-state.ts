import type { AgentHistory } from '@muster/contract/api/runs'
import { formatDuration } from '@muster/rules/text/units'
import { isFinal } from '@muster/rules/agents/history-state'

export type RunTone = 'dim' | 'info' | 'positive' | 'warning' | 'negative'

/** Label and tone of a state. Nothing is green before the machine has reported success. */
export function describeState({ state, retcode }: Pick<AgentHistory, 'state' | 'retcode'>): {
  label: string
  tone: RunTone
} {
  switch (state) {
    case 'queued':
      return { label: 'waiting', tone: 'dim' }
    case 'sent':
      return { label: 'sent', tone: 'dim' }
    case 'accepted':
      return { label: 'accepted', tone: 'info' }
    case 'running':
      return { label: 'running', tone: 'info' }
    case 'done':
      return retcode === null || retcode === 0
        ? { label: 'done', tone: 'positive' }
        : { label: `exit code ${retcode}`, tone: 'warning' }
    case 'failed':
      return { label: 'failed', tone: 'negative' }
    case 'expired':
      return { label: 'expired', tone: 'warning' }
    case 'cancelled':
      return { label: 'cancelled', tone: 'dim' }
  }
}

/** Duration so far; undefined before the start. */
export function describeDuration(run: AgentHistory, nowMs: number): string {
  if (run.execution_time !== null) return formatDuration(run.execution_time)
  if (run.started_at === null) return ''
  if (isFinal(run.state) && run.finished_at === null) return ''
  const endMs = run.finished_at === null ? nowMs : Date.parse(run.finished_at)
  return formatDuration(Math.max(0, Math.floor((endMs - Date.parse(run.started_at)) / 1000)))
}

/** The steps that a run has reached. */
export const RUN_STEPS = ['sent', 'accepted', 'running', 'done'] as const

export function stepReached({ state, started_at }: Pick<AgentHistory, 'state' | 'started_at'>): number {
  switch (state) {
    case 'queued':
      return 0
    case 'sent':
      return 1
    case 'accepted':
      return 2
    case 'running':
      return 3
    case 'done':
      return 4
    case 'failed':
    case 'cancelled':
    case 'expired':
      return started_at === null ? 1 : 3
  }
}

/** The command line, or the script with its arguments, as one line. */
export function runLabel({ type, command, script_name, args }: AgentHistory): string {
  const name = type === 'script_run' ? (script_name ?? command) : command
  return [name.replaceAll(/\s*\n\s*/g, ' ⏎ '), ...args].join(' ')
}
