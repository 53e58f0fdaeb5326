import type { FleetJobState, JobAgentState, JobCounts } from '@muster/rules/fleet-jobs/job-state'
import {
  IconAlertTriangleFilled,
  IconCheck,
  IconClock,
  IconHandStop,
  IconLoader,
  IconPlayerPause,
  IconPlayerSkipForward,
  IconPlayerStop,
} from '@tabler/icons-react'
import classes from './Jobs.module.css'
import { JOB_STATE_LABELS, MACHINE_STATE_LABELS, toneOf, totalOf } from './job-labels.ts'

const MACHINE_ICONS = {
  succeeded: IconCheck,
  failed: IconAlertTriangleFilled,
  running: IconLoader,
  waiting: IconClock,
  skipped: IconPlayerSkipForward,
}

/** The state of a machine as a shape. `hasText`: the word stands beside it. */
export function MachineMark({ state, hasText = false }: { state: JobAgentState; hasText?: boolean }) {
  const Icon = MACHINE_ICONS[state]
  return (
    <span
      className={classes.mark}
      data-state={state}
      {...(hasText ? { 'aria-hidden': true } : { role: 'img', 'aria-label': MACHINE_STATE_LABELS[state] })}
    >
      <Icon size={16} stroke={1.75} aria-hidden />
    </span>
  )
}

const JOB_ICONS = {
  approval: IconClock,
  scheduled: IconClock,
  running: IconLoader,
  paused: IconPlayerPause,
  halted: IconHandStop,
  done: IconCheck,
  stopped: IconPlayerStop,
}

/** A job whose machines failed is done, too, and not green. */
export function JobStateMark({ state, counts }: { state: FleetJobState; counts: JobCounts }) {
  const hasFailed = state === 'done' && counts.failed > 0
  const Icon = hasFailed ? IconAlertTriangleFilled : JOB_ICONS[state]
  return (
    <span className={classes.state} data-tone={hasFailed ? 'negative' : toneOf(state)}>
      <Icon size={14} stroke={1.75} aria-hidden />
      {hasFailed ? 'Done, with failures' : JOB_STATE_LABELS[state]}
    </span>
  )
}

const PARTS = ['succeeded', 'failed', 'running'] as const

/** Succeeded, failed, running and waiting machines as parts of a bar. */
export function ProgressBar({ counts, label }: { counts: JobCounts; label: string }) {
  const total = Math.max(1, totalOf(counts))
  return (
    <div className={classes.bar} role="img" aria-label={label}>
      {PARTS.filter((part) => counts[part] > 0).map((part) => (
        <span
          key={part}
          data-part={part}
          // A single failed machine of many is still visible.
          style={{ flexBasis: `${(100 * counts[part]) / total}%`, minWidth: 3 }}
        />
      ))}
    </div>
  )
}
