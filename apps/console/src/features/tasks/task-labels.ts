import type { Task, TaskRun } from '@muster/contract/api/tasks'
import { WEEK, WEEKDAYS } from '@muster/rules/schedules/day-text'
import { nextTaskRun } from '@muster/rules/schedules/task-schedule'
import { shownLine } from '@muster/rules/text/escape-sequences'
import { isMachineZone } from '@muster/rules/schedules/zone-time'

export const TYPE_CHOICES = [
  { value: 'daily', label: 'Every day, or every few days' },
  { value: 'weekly', label: 'On days of the week' },
  { value: 'monthly', label: 'On days of the month' },
  { value: 'monthlydow', label: 'On weekdays of the month' },
  { value: 'runonce', label: 'Once, at a set time' },
  { value: 'cron', label: 'Cron expression' },
  { value: 'checkfailure', label: 'When a check fails' },
  { value: 'startup', label: 'When the machine starts' },
  { value: 'onboarding', label: 'Once, when the machine receives it' },
  { value: 'manual', label: 'Only manually' },
] as const

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Values are bit positions on the wire. */
export const WEEKDAY_CHOICES = WEEK.map((bit) => ({ value: `${bit}`, label: WEEKDAYS[bit] ?? '' }))
export const MONTH_CHOICES = MONTHS.map((label, bit) => ({ value: `${bit}`, label }))
export const WEEK_CHOICES = ['First', 'Second', 'Third', 'Fourth', 'Last'].map((label, bit) => ({
  value: `${bit}`,
  label,
}))

export const POLICY_CHOICES = [
  { value: '1', label: 'Wait until it ends' },
  { value: '0', label: 'Run in parallel' },
  { value: '2', label: 'Skip the new run' },
  { value: '3', label: 'Stop the earlier run' },
]

const TRIGGERS: Record<TaskRun['trigger'], string> = {
  schedule: 'on time',
  missed: 'after a missed run',
  manual: 'manual',
  checkfailure: 'check failure',
  startup: 'machine start',
  onboarding: 'first sync',
}

export const triggerLabel = ({ trigger }: Pick<TaskRun, 'trigger'>) => TRIGGERS[trigger]

/** Text beside a task's state: the error, or the start of its output. */
export function describeResult({ task_result }: Task): string {
  const { more_info, stdout, stderr, last_run } = task_result
  if (last_run === null) return '–'
  if (more_info !== '') return more_info
  const lines = `${stdout}${stderr}`.split('\n').map((line) => shownLine(line))
  return lines.find((line) => line !== '') ?? 'No output'
}

export const SYNC_LABELS: Record<Task['task_result']['sync_status'], string> = {
  initial: 'not on the machine yet',
  notsynced: 'outdated on the machine',
  synced: 'on the machine',
}

/** The next scheduled run, in milliseconds. */
export function nextRunOf(task: Task, zone: string, nowMs: number): number | undefined {
  return task.enabled && !task.overridden_by_policy ? nextTaskRun(task, knownZone(zone), nowMs) : undefined
}

/** A machine may report a zone that this browser does not know. */
export const knownZone = (zone: string): string => (isMachineZone(zone) ? zone : 'UTC')
