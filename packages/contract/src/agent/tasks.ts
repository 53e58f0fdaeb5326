import { TASK_TYPES, type TaskTimes } from '@muster/rules/schedules/task-schedule'
import { z } from 'zod'
import { Secrets } from './checks.ts'
import { Interpreter, RunAsUser, Shell } from './shells.ts'

/**
 * Tasks on the agent's link: what a machine runs when, and the results. The agent schedules by its own clock and
 * zone. The server decides whether a failed run is an alert.
 */
export const TaskType = z.enum(TASK_TYPES)
export type TaskType = z.infer<typeof TaskType>

/**
 * By the machine's clock, without a zone: `2026-11-22T02:00`. Seconds and a trailing `Z` are accepted and ignored.
 */
export const TaskTime = z
  .string()
  .regex(
    /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d(:\d{2}(\.\d{1,6})?)?Z?$/,
    'Use a date and time such as 2026-11-22T02:00.',
  )
  .overwrite((text) => text.slice(0, 16))
  .refine((text) => isRealTime(text), 'There is no such date.')

function isRealTime(text: string): boolean {
  const ms = Date.parse(`${text}Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}

/** Such as `90s`, `15m`, `2H` or `1d`. Checked by rules/schedules/task-problems.ts. */
const TimePeriod = z.string().trim().max(10).nullable()
const Bits = (most: number) => z.int().min(0).max(most).nullable()

/** When a task runs. Fields that its type does not use are stored and ignored. */
export const taskTimes = {
  task_type: TaskType,
  run_time_date: TaskTime.nullable(),
  expire_date: TaskTime.nullable(),
  daily_interval: z.int().min(1).max(255),
  weekly_interval: z.int().min(1).max(52),
  /** Sunday = 1, Monday = 2, Tuesday = 4 ... Saturday = 64. */
  run_time_bit_weekdays: Bits(127),
  /** The first = 1, the second = 2 ...; the last = 0x80000000. */
  monthly_days_of_month: Bits(0xffffffff),
  /** January = 1, February = 2 ... all = 4095. */
  monthly_months_of_year: Bits(4095),
  /** The first = 1, 2, 4, the fourth = 8, the last = 16. */
  monthly_weeks_of_month: Bits(31),
  /** Minute, hour, day of the month, month, day of the week. */
  cron_expression: z.string().trim().max(200).nullable(),
  task_repetition_interval: TimePeriod,
  task_repetition_duration: TimePeriod,
  /** Each run is delayed by a random part of this. */
  random_task_delay: TimePeriod,
} as const satisfies Record<keyof TaskTimes | 'random_task_delay', z.ZodType>
export const TaskSchedule = z.object(taskTimes)
export type TaskSchedule = z.infer<typeof TaskSchedule>

/** Applies when a run is due while another one is active. */
export const INSTANCE_POLICIES = { parallel: 0, queue: 1, skip: 2, stopExisting: 3 } as const
export const InstancePolicy = z.int().min(0).max(3)

export const MAX_ACTIONS = 20
const ActionHead = {
  /** The script's name, or the start of the command. */
  name: z.string().max(255),
  timeout_seconds: z.int().min(1).max(86_400),
}
/** One step of a task, with everything that it needs while the server is offline. */
export const DefinedAction = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('script'),
    ...ActionHead,
    interpreter: Interpreter,
    body: z.string().max(1_000_000),
    args: z.array(z.string().max(10_000)).max(200),
    env_vars: z.array(z.string().max(10_000)).max(200),
    run_as_user: RunAsUser.optional(),
    secrets: Secrets.optional(),
    /** Why it cannot be run: a variable has no value. */
    problem: z.string().max(500).optional(),
  }),
  z.object({
    type: z.literal('cmd'),
    ...ActionHead,
    shell: Shell,
    custom_shell: z.string().max(1000).nullable(),
    cmd: z.string().max(100_000),
  }),
])
export type DefinedAction = z.infer<typeof DefinedAction>

export const TaskDefinition = z.object({
  id: z.int(),
  /** Changes whenever anything else in the definition does. */
  revision: z.string().max(64),
  /** A disabled task stays stored, with its state. */
  enabled: z.boolean(),
  schedule: TaskSchedule,
  /** When its schedule was created or last changed: earlier runs were not missed. */
  counts_from: z.iso.datetime(),
  /** Missed runs are caught up, once, as soon as possible. */
  run_asap_after_missed: z.boolean(),
  task_instance_policy: InstancePolicy,
  stop_task_at_duration_end: z.boolean(),
  continue_on_error: z.boolean(),
  actions: z.array(DefinedAction).min(1).max(MAX_ACTIONS),
})
export type TaskDefinition = z.infer<typeof TaskDefinition>

export const TaskTrigger = z.enum(['schedule', 'missed', 'manual', 'checkfailure', 'startup', 'onboarding'])
export type TaskTrigger = z.infer<typeof TaskTrigger>
/** Created by the server for its requests, and by the machine otherwise. */
export const RunId = z.string().regex(/^[A-Za-z0-9_-]{8,64}$/)

export const MAX_TASK_OUTPUT = 10_000
/** Total output of one run, well below the limit of a report. */
const MAX_RUN_OUTPUT = 150_000

/** Characters per stream and action for a task with this many actions. */
export function roomForOutput(actions: number): number {
  return Math.min(MAX_TASK_OUTPUT, Math.floor(MAX_RUN_OUTPUT / (2 * actions)))
}

export const ActionResult = z.object({
  name: z.string().max(255),
  /** `skipped`: an earlier action failed, and the task stops on errors. */
  outcome: z.enum(['exited', 'timed_out', 'cancelled', 'refused', 'failed', 'skipped']),
  /** A message, for every outcome except `exited`. */
  reason: z.string().max(2000).nullable(),
  retcode: z.int().nullable(),
  /** The first and the last part of a longer one. Old agents keep the last part. */
  stdout: z.string().max(MAX_TASK_OUTPUT),
  stderr: z.string().max(MAX_TASK_OUTPUT),
  /** Seconds. */
  execution_time: z.number().min(0),
})
export type ActionResult = z.infer<typeof ActionResult>

const RunHead = {
  task_id: z.int(),
  run_id: RunId,
  trigger: TaskTrigger,
  /** Scheduled time; null for runs outside the schedule. */
  planned_at: z.iso.datetime().nullable(),
  started_at: z.iso.datetime(),
}

/** Reports about tasks; parts of `Report` in link.ts. */
export const taskReports = [
  /** Current tasks (`set-tasks`) whose definition is missing or has another revision. */
  z.object({ kind: z.literal('tasks-missing'), version: z.int(), ids: z.array(z.int()).max(1000) }),
  /** The version of `set-tasks` that is stored completely. */
  z.object({ kind: z.literal('tasks-known'), version: z.int().min(0) }),
  z.object({ kind: z.literal('task-started'), ...RunHead }),
  z.object({
    kind: z.literal('task-result'),
    ...RunHead,
    ended_at: z.iso.datetime(),
    /** Why it did not finish, as a message; null if it did. */
    reason: z.string().max(2000).nullable(),
    actions: z.array(ActionResult).max(MAX_ACTIONS),
  }),
  /** Runs that were missed and are not caught up. */
  z.object({
    kind: z.literal('task-missed'),
    task_id: z.int(),
    /** Distinguishes a repeated report from a new one. */
    run_id: RunId,
    count: z.int().min(1),
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    /** The machine or its agent was off; the previous run was still active. */
    why: z.enum(['off', 'busy']),
  }),
] as const
