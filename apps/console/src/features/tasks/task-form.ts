import { TaskSchedule } from '@muster/contract/agent/tasks'
import { TASK_DEFAULTS, TaskFields } from '@muster/contract/api/tasks'
import { Platform } from '@muster/contract/fields'
import type { PolicyTask } from '@muster/contract/policies/policy-content'
import { LAST_DAY_BIT } from '@muster/rules/schedules/task-schedule'
import { findTaskProblem, listTaskProblems } from '@muster/rules/schedules/task-problems'
import { instantOf, wallClockAt } from '@muster/rules/schedules/zone-time'
import { checkVariable } from '../runs/run-form.ts'
import { serverNow } from '../../ui/layout/server-clock.ts'

/** An action of a task in the form: the fields of both kinds, of which its own are sent. */
export interface ActionForm extends Record<string, unknown> {
  /** Stable while actions are moved. */
  key: string
  type: 'script' | 'cmd'
  script: string | null
  /** As it was saved; empty if the script was deleted. */
  name: string
  script_args: string[]
  env_vars: string[]
  command: string
  shell: string
  custom_shell: string
  timeout: number | string
}

/** A task in the form, under the contract's names; bit sets are lists of positions. */
export interface TaskForm extends Record<string, unknown> {
  name: string
  enabled: boolean
  actions: ActionForm[]
  continue_on_error: boolean
  assigned_check: string | null
  alert_severity: string
  custom_field: string | null
  collector_all_output: boolean
  task_type: string
  run_time_date: string
  expire_date: string
  daily_interval: number | string
  weekly_interval: number | string
  run_time_bit_weekdays: string[]
  /** `1, 15, last`. */
  monthly_days_of_month: string
  monthly_months_of_year: string[]
  monthly_weeks_of_month: string[]
  cron_expression: string
  task_repetition_interval: string
  task_repetition_duration: string
  random_task_delay: string
  stop_task_at_duration_end: boolean
  run_asap_after_missed: boolean
  remove_if_not_scheduled: boolean
  task_instance_policy: string
  /** For a policy's task. */
  task_supported_platforms: string[]
}

const DAY_MS = 86_400_000
const ALL_MONTHS = Array.from({ length: 12 }, (_, bit) => `${bit}`)
const RANGES: Record<string, string> = {
  daily_interval: 'Enter 1 to 255 days.',
  weekly_interval: 'Enter 1 to 52 weeks.',
  monthly_days_of_month: 'Enter days from 1 to 31 or "last", separated by commas.',
  timeout: 'Enter 1 to 86400 seconds.',
  script: 'Choose a script.',
  run_time_date: 'Choose a date and a time.',
  expire_date: 'Choose a date and a time.',
}

/** An initial form: the coming night at two, in the machine's time zone. */
export function newTaskForm(shell: string, zone: string, nowMs = serverNow()): TaskForm {
  const tomorrow = new Date(wallClockAt(zone, nowMs) + DAY_MS).toISOString().slice(0, 10)
  return {
    ...readTaskForm({ ...TASK_DEFAULTS, name: '', task_type: 'daily', actions: [] }),
    actions: [newAction('cmd', shell)],
    run_time_date: `${tomorrow}T02:00`,
    run_time_bit_weekdays: ['1'],
    monthly_days_of_month: '1',
    monthly_months_of_year: ALL_MONTHS,
    monthly_weeks_of_month: ['0'],
  }
}

let count = 0

export function newAction(type: ActionForm['type'], shell: string): ActionForm {
  count += 1
  return {
    key: `action ${count}`,
    type,
    script: null,
    name: '-',
    script_args: [],
    env_vars: [],
    command: '',
    shell,
    custom_shell: '',
    timeout: type === 'cmd' ? 30 : 90,
  }
}

export function readTaskForm(task: TaskFields): TaskForm {
  return {
    name: task.name,
    enabled: task.enabled,
    actions: task.actions.map((action) => ({
      ...newAction(action.type, 'sh'),
      ...(action.type === 'script'
        ? { ...action, script: `${action.script}` }
        : { ...action, custom_shell: action.custom_shell ?? '' }),
    })),
    continue_on_error: task.continue_on_error,
    assigned_check: task.assigned_check === null ? null : `${task.assigned_check}`,
    alert_severity: task.alert_severity,
    custom_field: task.custom_field === null ? null : `${task.custom_field}`,
    collector_all_output: task.collector_all_output,
    task_type: task.task_type,
    run_time_date: task.run_time_date ?? '',
    expire_date: task.expire_date ?? '',
    daily_interval: task.daily_interval,
    weekly_interval: task.weekly_interval,
    run_time_bit_weekdays: listBits(task.run_time_bit_weekdays),
    monthly_days_of_month: listDays(task.monthly_days_of_month),
    monthly_months_of_year: listBits(task.monthly_months_of_year),
    monthly_weeks_of_month: listBits(task.monthly_weeks_of_month),
    cron_expression: task.cron_expression ?? '',
    task_repetition_interval: task.task_repetition_interval ?? '',
    task_repetition_duration: task.task_repetition_duration ?? '',
    random_task_delay: task.random_task_delay ?? '',
    stop_task_at_duration_end: task.stop_task_at_duration_end,
    run_asap_after_missed: task.run_asap_after_missed,
    remove_if_not_scheduled: task.remove_if_not_scheduled,
    task_instance_policy: `${task.task_instance_policy}`,
    task_supported_platforms: [...Platform.options],
  }
}

/** The values to send; undefined where `checkTaskForm` finds an error. */
export const toTask = (form: TaskForm): TaskFields | undefined => TaskFields.safeParse(toWire(form)).data

/** The systems of a policy's task, in default order. */
export function readPlatforms(form: TaskForm): PolicyTask['task_supported_platforms'] {
  return Platform.options.filter((platform) => form.task_supported_platforms.includes(platform))
}

/** The next run of the form's task, even if other fields are incomplete; undefined if the schedule is. */
export function toTimes(form: TaskForm): TaskSchedule | undefined {
  const times = TaskSchedule.safeParse(toWire(form)).data
  return times === undefined || findTaskProblem(times) !== undefined ? undefined : times
}

/** Errors by field. `mayBePast`: the time was saved before. */
export function checkTaskForm(
  form: TaskForm,
  { zone, mayBePast, nowMs = serverNow() }: { zone: string; mayBePast: boolean; nowMs?: number },
): Record<string, string | null> {
  const wire = toWire(form)
  const issues = TaskFields.safeParse(wire).error?.issues ?? []
  const errors: Record<string, string | null> = {}
  for (const { path, message } of issues) errors[path.join('.')] ??= RANGES[String(path.at(-1))] ?? message
  for (const [index, { type, env_vars }] of form.actions.entries()) {
    const wrong = env_vars.map(checkVariable).find((said) => said !== null)
    if (type === 'script') errors[`actions.${index}.env_vars`] ??= wrong ?? null
  }
  if (form.task_supported_platforms.length === 0)
    errors.task_supported_platforms = 'Choose at least one system.'
  if (form.task_type === 'checkfailure' && form.assigned_check === null)
    errors.assigned_check = 'Choose the check whose failure starts it.'
  const times = TaskSchedule.safeParse(wire).data
  if (times === undefined) return errors
  const { remove_if_not_scheduled } = form
  for (const { field, sentence } of listTaskProblems({ ...times, remove_if_not_scheduled }))
    errors[field] ??= sentence
  if (times.task_type === 'runonce' && times.run_time_date !== null && !mayBePast) {
    const isOver = instantOf(zone, Date.parse(`${times.run_time_date}Z`)) <= nowMs
    if (isOver) errors.run_time_date ??= 'Choose a time in the future.'
  }
  return errors
}

/** Not checked yet. */
function toWire(form: TaskForm): unknown {
  const none = (text: string) => (text.trim() === '' ? null : text.trim())
  const isCron = form.task_type === 'cron'
  const repeats = !isCron && form.task_repetition_interval.trim() !== ''
  const days = readDays(form.monthly_days_of_month)
  return {
    ...form,
    actions: form.actions.map(toAction),
    assigned_check: form.assigned_check === null ? null : Number(form.assigned_check),
    custom_field: form.custom_field === null ? null : Number(form.custom_field),
    // The cron expression says all; hidden fields do not count.
    run_time_date: isCron ? null : none(form.run_time_date),
    expire_date: form.task_type === 'runonce' ? null : none(form.expire_date),
    run_time_bit_weekdays: sumBits(form.run_time_bit_weekdays),
    monthly_days_of_month: form.task_type === 'monthly' ? days : (days ?? null),
    monthly_months_of_year: sumBits(form.monthly_months_of_year),
    monthly_weeks_of_month: sumBits(form.monthly_weeks_of_month),
    cron_expression: none(form.cron_expression),
    task_repetition_interval: repeats ? form.task_repetition_interval.trim() : null,
    task_repetition_duration: repeats ? form.task_repetition_duration.trim() : null,
    random_task_delay: none(form.random_task_delay),
    task_instance_policy: Number(form.task_instance_policy),
  }
}

function toAction(action: ActionForm): unknown {
  const { type, timeout } = action
  if (type === 'script') {
    const { script, script_args } = action
    const env_vars = action.env_vars.filter((variable) => variable !== '')
    return { type, script: Number(script ?? Number.NaN), script_args, env_vars, timeout }
  }
  const { command, shell, custom_shell } = action
  return { type, command, shell, custom_shell: shell === 'custom' ? custom_shell : null, timeout }
}

function listBits(bits: number | null): string[] {
  return ALL_MONTHS.filter((bit) => ((bits ?? 0) & (1 << Number(bit))) !== 0)
}

/** Null for none, as the field has it. */
function sumBits(places: readonly string[]): number | null {
  return places.length === 0 ? null : places.reduce((sum, place) => sum + 2 ** Number(place), 0)
}

function listDays(bits: number | null): string {
  if (bits === null) return ''
  const days = Array.from({ length: 31 }, (_, bit) => bit).filter((bit) => (bits & (1 << bit)) !== 0)
  return [...days.map((bit) => `${bit + 1}`), ...(bits >= LAST_DAY_BIT ? ['last'] : [])].join(', ')
}

/** Undefined for invalid text; null for an empty one. */
function readDays(text: string): number | null | undefined {
  const words = text
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter((word) => word !== '')
  const bits = new Set<number>()
  for (const word of words) {
    if (word !== 'last' && !/^([1-9]|[12]\d|3[01])$/.test(word)) return undefined
    bits.add(word === 'last' ? LAST_DAY_BIT : 2 ** (Number(word) - 1))
  }
  return bits.size === 0 ? null : [...bits].reduce((sum, bit) => sum + bit, 0)
}
