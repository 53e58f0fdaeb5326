import { z } from 'zod'
import { nameShell, Shell } from '../agent/shells.ts'
import { ActionResult, InstancePolicy, MAX_ACTIONS, taskTimes, TaskTrigger } from '../agent/tasks.ts'
import { endpoint } from '../endpoint.ts'
import {
  AgentId,
  AgentParams,
  Id,
  IdParams,
  Instant,
  ListQuery,
  Nothing,
  Platform,
  PolicyItem,
  Severity,
} from '../fields.ts'

const Timeout = z.int().min(1).max(86_400)

/** One action of a task; actions run in order. `name`: the script's current name; empty if it was deleted. */
export const TaskAction = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('script'),
    script: Id,
    name: z.string().max(255).default(''),
    script_args: z.array(z.string().max(10_000)).max(200).default([]),
    env_vars: z
      .array(
        z
          .string()
          .max(10_000)
          .regex(/^[A-Za-z_][A-Za-z0-9_]*=/, 'Write NAME=value.'),
      )
      .max(200)
      .default([]),
    /** Seconds. */
    timeout: Timeout.default(90),
  }),
  z
    .object({
      type: z.literal('cmd'),
      command: z.string().trim().min(1, 'A command is needed.').max(100_000),
      shell: Shell,
      custom_shell: z.string().trim().max(1000).nullable().default(null),
      timeout: Timeout.default(30),
    })
    .refine(({ shell, custom_shell }) => shell !== 'custom' || (custom_shell ?? '') !== '', {
      path: ['custom_shell'],
      message: 'Give the path of the shell.',
    }),
])
export type TaskAction = z.infer<typeof TaskAction>

const fields = {
  name: z.string().trim().min(1, 'A name is needed.').max(255),
  enabled: z.boolean(),
  actions: z.array(TaskAction).min(1, 'At least one action is needed.').max(MAX_ACTIONS),
  /** Continues with the next action after a failed one. */
  continue_on_error: z.boolean(),
  /** For `checkfailure`: the check whose failure starts the task. */
  assigned_check: Id.nullable(),
  /** Severity of the alert for a failed run. */
  alert_severity: Severity,
  ...taskTimes,
  stop_task_at_duration_end: z.boolean(),
  run_asap_after_missed: z.boolean(),
  /** While a run is active: 0 = run in parallel, 1 = wait, 2 = skip, 3 = end the active run. */
  task_instance_policy: InstancePolicy,
  /** Custom field of the machine, its site or its client that stores the output of a successful run. */
  custom_field: Id.nullable(),
  /** Stores the whole output, otherwise the last line. */
  collector_all_output: z.boolean(),
  /**
   * The task is deleted with its runs when no further run is due: after the last one before its end, which is
   * required then, or after its only run. The server does that each hour while the machine is connected, but not
   * while the task runs or if its last run has failed. The field's product deletes the entry of the system's
   * scheduler; the agent's own scheduler has no other entry than the task itself. A task of a policy is not deleted,
   * but no longer runs.
   */
  remove_if_not_scheduled: z.boolean(),
}
/** Systems of the machines that get a task of a policy. */
export const TaskPlatforms = z
  .array(Platform)
  .min(1, 'Choose at least one system.')
  .max(Platform.options.length)

/** Editable fields of a task. */
export const TaskFields = z.object(fields)
export type TaskFields = z.infer<typeof TaskFields>

/** Defaults of a new task. */
export const TASK_DEFAULTS: Omit<TaskFields, 'name' | 'actions' | 'task_type'> = {
  enabled: true,
  continue_on_error: true,
  assigned_check: null,
  alert_severity: 'info',
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
  stop_task_at_duration_end: false,
  run_asap_after_missed: true,
  task_instance_policy: 1,
  custom_field: null,
  collector_all_output: false,
  remove_if_not_scheduled: false,
}

export const TaskStatus = z.enum(['passing', 'failing', 'pending'])
export const TaskResult = z.object({
  status: TaskStatus,
  /** `initial`: not sent to the machine yet; `notsynced`: the machine has an older version. */
  sync_status: z.enum(['initial', 'notsynced', 'synced']),
  run_status: z.enum(['running', 'completed']).nullable(),
  /** Exit code of the first failed action, otherwise 0. */
  retcode: z.int().nullable(),
  /** Output of all actions of the last run. */
  stdout: z.string(),
  stderr: z.string(),
  /** Seconds. */
  execution_time: z.number().nullable(),
  last_run: Instant.nullable(),
  /** Error message, or why the custom field did not accept the result, as a sentence; otherwise empty. */
  more_info: z.string(),
})
export type TaskResult = z.infer<typeof TaskResult>

export const Task = z.object({
  id: z.int(),
  agent_id: AgentId,
  ...fields,
  /** The policy that defines it; null = the machine's own. */
  policy: z.int().nullable(),
  policy_name: z.string().nullable(),
  /** One of the machine's own tasks that does not run, because an enforced policy has a task of the same name. */
  overridden_by_policy: z.boolean(),
  /** Its schedule as text. */
  schedule: z.string(),
  check_name: z.string().nullable(),
  custom_field_name: z.string().nullable(),
  task_result: TaskResult,
  /** Changes with every edit, to detect concurrent saves. */
  modified: z.string(),
})
export type Task = z.infer<typeof Task>

export const listAgentTasks = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/tasks/',
  access: 'can_list_autotasks',
  summary: 'List the tasks of a machine with their last results',
  params: AgentParams,
  query: ListQuery,
  response: z.array(Task),
  paged: true,
})

export const listTasks = endpoint({
  method: 'GET',
  path: '/tasks/',
  access: 'can_list_autotasks',
  summary: 'List the tasks of every machine that the caller may see',
  query: ListQuery,
  response: z.array(Task),
  paged: true,
})

/** A body whose actions may also name a shell by its path, as other programs do. */
function alsoShellPaths<Schema extends z.ZodType>(
  schema: Schema,
): z.ZodType<z.output<Schema>, z.input<Schema>> {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  // The schema itself is what is documented.
  return z.preprocess((body) => {
    if (!isObject(body) || !Array.isArray(body['actions'])) return body
    const actions = body['actions'].map((action: unknown) => (isObject(action) ? nameShell(action) : action))
    return { ...body, actions }
  }, schema) as unknown as z.ZodType<z.output<Schema>, z.input<Schema>>
}

export const createTask = endpoint({
  method: 'POST',
  path: '/tasks/',
  access: 'can_manage_autotasks',
  summary:
    'Add a task to a machine; with `policy` instead of `agent`, add it to that policy and return its place there',
  body: alsoShellPaths(
    TaskFields.partial().extend({
      agent: AgentId.optional(),
      policy: Id.optional(),
      /** Only with `policy`: applies to machines of these systems only. */
      task_supported_platforms: TaskPlatforms.optional(),
      name: fields.name,
      task_type: fields.task_type,
      actions: fields.actions,
    }),
  ),
  response: z.union([Task, PolicyItem]),
})

export const getTask = endpoint({
  method: 'GET',
  path: '/tasks/:id/',
  access: 'can_list_autotasks',
  summary: 'One task',
  params: IdParams,
  response: Task,
})

export const editTask = endpoint({
  method: 'PUT',
  path: '/tasks/:id/',
  access: 'can_manage_autotasks',
  summary: 'Change some or all fields of a task. With `modified`, refused if another user has saved since',
  params: IdParams,
  body: alsoShellPaths(TaskFields.partial().extend({ modified: z.string().optional() })),
  volatile: ['task_result', 'schedule', 'overridden_by_policy'],
  response: Task,
})

export const deleteTask = endpoint({
  method: 'DELETE',
  path: '/tasks/:id/',
  access: 'can_manage_autotasks',
  summary: 'Delete a task with its runs',
  params: IdParams,
  response: Nothing,
})

export const runTask = endpoint({
  method: 'POST',
  path: '/tasks/:id/run/',
  access: 'can_run_autotasks',
  summary: 'Run a task on its machine now; refused if the machine is not connected',
  params: IdParams,
  /** Other programs send the machine for a task of a policy; here each machine has its own task. */
  body: z.object({ agent_id: AgentId.optional() }),
  response: Nothing,
})

/** One run, or several that were missed. */
export const TaskRun = z.object({
  id: z.int(),
  state: z.enum(['running', 'ended', 'missed']),
  trigger: TaskTrigger,
  /** Null while it runs, and for missed runs. */
  status: TaskStatus.nullable(),
  planned_at: Instant.nullable(),
  /** For missed runs: when the first one was due. */
  started_at: Instant,
  ended_at: Instant.nullable(),
  retcode: z.int().nullable(),
  execution_time: z.number().nullable(),
  more_info: z.string(),
  /** Number of missed runs. */
  missed: z.int(),
})
export type TaskRun = z.infer<typeof TaskRun>

export const listTaskRuns = endpoint({
  method: 'GET',
  path: '/tasks/:id/runs/',
  access: 'can_list_autotasks',
  summary: 'List the newest runs of a task, without their output',
  params: IdParams,
  query: ListQuery,
  response: z.array(TaskRun),
  paged: true,
})

export const TaskRunDetail = TaskRun.extend({ actions: z.array(ActionResult) })
export type TaskRunDetail = z.infer<typeof TaskRunDetail>

export const getTaskRun = endpoint({
  method: 'GET',
  path: '/tasks/:id/runs/:run/',
  access: 'can_list_autotasks',
  summary: 'Get one run of a task with the output of its actions',
  params: IdParams.extend({ run: Id }),
  response: TaskRunDetail,
})

/** A task or script check that a machine of a server gets when a superuser approves this revision. */
export const WaitingDefinition = z.object({
  kind: z.enum(['task', 'check']),
  id: z.int(),
  name: z.string(),
  revision: z.string(),
  policy_name: z.string().nullable(),
})
export type WaitingDefinition = z.infer<typeof WaitingDefinition>

export const listWaitingDefinitions = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/approvals/',
  access: 'can_list_agents',
  summary: 'Tasks and script checks that wait for the approval of a superuser, on the machine of a server',
  params: AgentParams,
  response: z.array(WaitingDefinition),
})

export const approveDefinitions = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/approvals/',
  access: 'can_manage_autotasks',
  needsProof: true,
  summary: 'Approve tasks and script checks for the machine of a server, as superuser',
  params: AgentParams,
  body: z.object({
    definitions: z
      .array(WaitingDefinition.pick({ kind: true, id: true, revision: true }))
      .min(1)
      .max(1000),
  }),
  response: z.object({ approved: z.int() }),
})
