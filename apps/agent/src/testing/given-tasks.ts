import type { CommandInput } from '@muster/contract/agent/commands'
import type { Report } from '@muster/contract/agent/link'
import type { TaskDefinition, TaskSchedule } from '@muster/contract/agent/tasks'
import type { TestServer } from './test-server.ts'

type ReportOf<Kind extends Report['kind']> = Extract<Report, { kind: Kind }>

const SCHEDULE: TaskSchedule = {
  task_type: 'manual',
  run_time_date: null,
  expire_date: null,
  daily_interval: 1,
  weekly_interval: 1,
  run_time_bit_weekdays: null,
  monthly_days_of_month: null,
  monthly_months_of_year: null,
  monthly_weeks_of_month: null,
  cron_expression: null,
  task_repetition_interval: null,
  task_repetition_duration: null,
  random_task_delay: null,
}

/** A manual task with id 1, unless its schedule says otherwise. */
export function givenTask(
  schedule: Partial<TaskSchedule> = {},
  more: Partial<Omit<TaskDefinition, 'schedule'>> = {},
): TaskDefinition {
  return {
    id: 1,
    revision: 'r1',
    enabled: true,
    schedule: { ...SCHEDULE, ...schedule },
    counts_from: '2026-01-01T00:00:00Z',
    run_asap_after_missed: true,
    task_instance_policy: 1,
    stop_task_at_duration_end: false,
    continue_on_error: true,
    actions: [shell('echo hello')],
    ...more,
  }
}

export const shell = (cmd: string, timeout_seconds = 30) => ({
  type: 'cmd' as const,
  name: cmd.slice(0, 50),
  shell: 'sh' as const,
  custom_shell: null,
  cmd,
  timeout_seconds,
})

export function setTasks(
  server: TestServer,
  put: TaskDefinition[],
  more: Partial<CommandInput<'set-tasks'>> = {},
): void {
  const wanted = put.map(({ id, revision }) => ({ id, revision }))
  server.command(server.sign('set-tasks', { version: 1, wanted, put, ...more }))
}

export function runTask(server: TestServer, run_id: string, id = 1): void {
  server.command(server.sign('run-task', { id, run_id, trigger: 'manual' }))
}

export function reportsOf<Kind extends Report['kind']>(server: TestServer, kind: Kind): ReportOf<Kind>[] {
  return server.reports.filter((report): report is ReportOf<Kind> => report.kind === kind)
}

export const untilTaskResult = (server: TestServer, runId?: string) =>
  server.until(() =>
    reportsOf(server, 'task-result').find(({ run_id }) => runId === undefined || run_id === runId),
  )
