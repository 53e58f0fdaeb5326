import type { Task, TaskRun } from '@muster/contract/api/tasks'
import { nextTaskRun } from '@muster/rules/schedules/task-schedule'
import { isTimeZone } from '@muster/rules/schedules/zone-time'

export const TYPE_CHOICES = [
  { value: 'daily', label: 'Every day, or every few days' },
  { value: 'weekly', label: 'On days of the week' },
  { value: 'monthly', label: 'On days of the month' },
  { value: 'monthlydow', label: 'On weekdays of the month' },
  { value: 'runonce', label: 'Once, at a time' },
  { value: 'cron', label: 'By a cron expression' },
  { value: 'checkfailure', label: 'When a check fails' },
  { value: 'startup', label: 'When the machine starts' },
  { value: 'onboarding', label: 'Once, as soon as the machine has it' },
  { value: 'manual', label: 'Only when somebody runs it' },
] as const

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Values are the places of the bits on the wire. Weeks begin on Monday, as people in an office count them. */
export const WEEKDAY_CHOICES = [1, 2, 3, 4, 5, 6, 0].map((bit) => ({
  value: `${bit}`,
  label: DAYS[bit] ?? '',
}))
export const MONTH_CHOICES = MONTHS.map((label, bit) => ({ value: `${bit}`, label }))
export const WEEK_CHOICES = ['First', 'Second', 'Third', 'Fourth', 'Last'].map((label, bit) => ({
  value: `${bit}`,
  label,
}))

export const POLICY_CHOICES = [
  { value: '1', label: 'Wait, and run after it' },
  { value: '0', label: 'Run beside it' },
  { value: '2', label: 'Leave the new run out' },
  { value: '3', label: 'End the earlier run' },
]

const TRIGGERS: Record<TaskRun['trigger'], string> = {
  schedule: 'on time',
  missed: 'made up for',
  manual: 'by hand',
  checkfailure: 'its check failed',
  startup: 'the machine started',
  onboarding: 'as soon as it was there',
}

/** Why a run took place. */
export const triggerLabel = ({ trigger }: Pick<TaskRun, 'trigger'>) => TRIGGERS[trigger]

/** What a task says beside its state: what went wrong, or the beginning of what it printed. */
export function describeResult({ task_result }: Task): string {
  const { more_info, stdout, stderr, last_run } = task_result
  if (last_run === null) return '–'
  if (more_info !== '') return more_info
  const [line = ''] = `${stdout}${stderr}`.trimStart().split('\n')
  return line === '' ? 'It printed nothing.' : line
}

export const SYNC_LABELS: Record<Task['task_result']['sync_status'], string> = {
  initial: 'waits for the machine',
  notsynced: 'the machine has an older one',
  synced: 'on the machine',
}

/** When it runs next by its schedule, as milliseconds. */
export function nextRunOf(task: Task, zone: string, nowMs: number): number | undefined {
  return task.enabled && !task.overridden_by_policy ? nextTaskRun(task, knownZone(zone), nowMs) : undefined
}

/** A machine may report a zone that this browser does not know. */
export const knownZone = (zone: string): string => (isTimeZone(zone) ? zone : 'UTC')
