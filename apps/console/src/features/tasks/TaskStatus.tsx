import type { Task, TaskRun } from '@muster/contract/api/tasks'
import { type Icon, IconCircleDashed, IconLoader2, IconPower } from '@tabler/icons-react'
import { CheckStatus } from '../checks/CheckStatus.tsx'
import classes from '../checks/CheckStatus.module.css'

type Severity = Task['alert_severity']

/** The state of a task as shape and text. */
export function TaskStatus({ task }: { task: Task }) {
  const { enabled, alert_severity, task_result } = task
  if (task.overridden_by_policy) return <Mark icon={IconPower} tone="dim" label="overridden" />
  if (task_result.run_status === 'running') return <Mark icon={IconLoader2} tone="info" label="running" />
  if (enabled && task_result.status === 'pending') {
    return <Mark icon={IconCircleDashed} tone="dim" label="pending" />
  }
  if (!enabled) return <Mark icon={IconPower} tone="dim" label="disabled" />
  return <CheckStatus state={{ status: task_result.status, alert_severity }} />
}

/** The same for one run. */
export function RunStatus({ run, severity }: { run: TaskRun; severity: Severity }) {
  if (run.state === 'running') return <Mark icon={IconLoader2} tone="info" label="running" />
  if (run.state === 'missed')
    return (
      <Mark
        icon={IconCircleDashed}
        tone="warning"
        label={run.missed === 1 ? 'missed' : `${run.missed} missed`}
      />
    )
  return <CheckStatus state={{ status: run.status ?? 'pending', alert_severity: severity }} />
}

function Mark({
  icon: MarkIcon,
  tone,
  label,
}: {
  icon: Icon
  tone: 'info' | 'dim' | 'warning'
  label: string
}) {
  return (
    <span className={classes.status} data-tone={tone}>
      <MarkIcon size={16} stroke={1.75} aria-hidden className="tone-icon" />
      {label}
    </span>
  )
}
