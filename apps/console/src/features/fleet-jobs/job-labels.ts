import type { FleetJob } from '@muster/contract/api/fleet-jobs'
import type { FleetJobState, JobAgentState, JobCounts } from '@muster/rules/fleet-jobs/job-state'

export const JOB_STATE_LABELS: Record<FleetJobState, string> = {
  approval: 'Waits for approval',
  scheduled: 'Scheduled',
  running: 'Running',
  paused: 'Paused',
  halted: 'Halted',
  done: 'Done',
  stopped: 'Stopped',
}

export const MACHINE_STATE_LABELS: Record<JobAgentState, string> = {
  succeeded: 'succeeded',
  failed: 'failed',
  running: 'running',
  waiting: 'waiting',
  skipped: 'skipped',
}

export const MACHINE_STATES: readonly JobAgentState[] = [
  'succeeded',
  'failed',
  'running',
  'waiting',
  'skipped',
]

export const countMachines = (count: number): string =>
  count === 1 ? '1 machine' : `${count.toLocaleString('en')} machines`

/** The planned machines, without skipped ones. */
export const totalOf = ({ succeeded, failed, running, waiting }: JobCounts): number =>
  succeeded + failed + running + waiting

/** `197 of 520 done, 2 failed`. */
export function progressText({ counts }: Pick<FleetJob, 'counts'>): string {
  const done = counts.succeeded + counts.failed
  const failed = counts.failed === 0 ? '' : `, ${counts.failed.toLocaleString('en')} failed`
  return `${done.toLocaleString('en')} of ${totalOf(counts).toLocaleString('en')} done${failed}`
}

/** The colour of a state. */
export function toneOf(state: FleetJobState): 'negative' | 'warning' | 'positive' | 'accent' | undefined {
  if (state === 'halted') return 'negative'
  if (state === 'paused' || state === 'approval') return 'warning'
  if (state === 'running') return 'accent'
  return state === 'done' ? 'positive' : undefined
}
