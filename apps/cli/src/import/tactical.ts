import { z } from 'zod'
import { CliError } from '../errors.ts'
import { type OldServer, OldServerError } from './old-server.ts'
import type { Planner } from './steps.ts'

/** The parts of a Tactical RMM server's objects that move, with its names. Whatever may be null or missing has a default. */

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false)
const id = z.int().min(1)
const reference = id.nullish().transform((value) => value ?? null)
const number = (usual: number) =>
  z
    .number()
    .nullish()
    .transform((value) => value ?? usual)
/** Some lists hold the script itself. */
const scriptReference = z
  .union([id, z.object({ id })])
  .nullish()
  .transform((value) => (typeof value === 'object' ? (value?.id ?? null) : (value ?? null)))
const list = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((value) => value ?? [])
const name = z.string().refine((value) => value.trim() !== '', 'A name is missing.')

const FieldValue = z.object({
  field: id,
  value: z.union([z.string(), z.boolean(), z.number(), z.array(z.string())]).nullish(),
})
export type OldFieldValue = z.infer<typeof FieldValue>

const node = {
  id,
  name,
  server_policy: reference,
  workstation_policy: reference,
  alert_template: reference,
  block_policy_inheritance: flag,
  custom_fields: list(FieldValue),
}
const OldSite = z.object(node)
const OldClient = z.object({ ...node, sites: list(OldSite) })
export type OldClient = z.infer<typeof OldClient>

const OldField = z.object({
  id,
  name,
  model: z.enum(['client', 'site', 'agent']),
  type: z.enum(['text', 'number', 'single', 'multiple', 'checkbox', 'datetime']),
  options: list(z.string()),
  required: flag,
  default_value_string: text,
  default_value_bool: flag,
  default_values_multiple: list(z.string()),
  hide_in_ui: flag,
  hide_in_summary: flag,
})
export type OldField = z.infer<typeof OldField>

const OldScript = z.object({
  id,
  name,
  description: text,
  category: text,
  shell: z.enum(['powershell', 'cmd', 'python', 'shell', 'nushell', 'deno']),
  script_type: z.string(),
  args: list(z.string()),
  env_vars: list(z.string()),
  filename: text,
  syntax: text,
  default_timeout: number(90),
  supported_platforms: list(z.string()),
  favorite: flag,
  hidden: flag,
  run_as_user: flag,
})
export type OldScript = z.infer<typeof OldScript>
const ScriptBody = z.object({ script_body: text })

const OldSnippet = z.object({ id, name, desc: text, code: text, shell: OldScript.shape.shell })
const OldKey = z.object({ id, name })

const OldCheck = z.object({
  id,
  check_type: z.string(),
  name: text,
  fails_b4_alert: number(1),
  run_interval: number(0),
  alert_severity: text,
  error_threshold: number(0),
  warning_threshold: number(0),
  disk: text,
  ip: text,
  svc_name: text,
  svc_display_name: text,
  pass_if_start_pending: flag,
  pass_if_svc_not_exist: flag,
  restart_if_stopped: flag,
  script: scriptReference,
  script_args: list(z.string()),
  env_vars: list(z.string()),
  timeout: number(120),
  info_return_codes: list(z.number()),
  warning_return_codes: list(z.number()),
  success_return_codes: list(z.number()),
  log_name: text,
  event_id: number(0),
  event_id_is_wildcard: flag,
  event_type: text,
  event_source: text,
  event_message: text,
  fail_when: text,
  search_last_days: number(1),
  number_of_events_b4_alert: number(1),
})
export type OldCheck = z.infer<typeof OldCheck>

const OldAction = z.object({
  type: z.string(),
  script: scriptReference,
  script_args: list(z.string()),
  env_vars: list(z.string()),
  timeout: number(90),
  command: text,
  shell: text,
})
export type OldAction = z.infer<typeof OldAction>

const bits = z
  .int()
  .nullish()
  .transform((value) => value ?? null)
const period = text.transform((value) => (value.trim() === '' ? null : value.trim()))
const OldTask = z.object({
  id,
  name,
  enabled: z
    .boolean()
    .nullish()
    .transform((value) => value ?? true),
  actions: list(OldAction),
  continue_on_error: flag,
  assigned_check: reference,
  custom_field: reference,
  collector_all_output: flag,
  alert_severity: text,
  task_supported_platforms: list(z.string()),
  task_type: z.string(),
  run_time_date: period,
  expire_date: period,
  daily_interval: number(1),
  weekly_interval: number(1),
  run_time_bit_weekdays: bits,
  monthly_days_of_month: bits,
  monthly_months_of_year: bits,
  monthly_weeks_of_month: bits,
  task_repetition_interval: period,
  task_repetition_duration: period,
  stop_task_at_duration_end: flag,
  random_task_delay: period,
  remove_if_not_scheduled: flag,
  run_asap_after_missed: flag,
  task_instance_policy: number(1),
})
export type OldTask = z.infer<typeof OldTask>

const OldPatchPolicy = z.object({
  critical: text,
  important: text,
  moderate: text,
  low: text,
  other: text,
  run_time_frequency: text,
  run_time_hour: number(3),
  run_time_days: list(z.int()),
  run_time_day: number(1),
  reboot_after_install: text,
  email_if_fail: flag,
})
export type OldPatchPolicy = z.infer<typeof OldPatchPolicy>

const PolicyHead = z.object({
  id,
  name,
  desc: text,
  active: flag,
  enforced: flag,
  alert_template: reference,
  excluded_sites: list(id),
  excluded_clients: list(id),
  excluded_agents: list(z.unknown()),
  winupdatepolicy: list(OldPatchPolicy),
})
export interface OldPolicy extends z.infer<typeof PolicyHead> {
  checks: OldCheck[]
  tasks: OldTask[]
}

const always = z
  .boolean()
  .nullish()
  .transform((value) => value ?? null)
const severities = list(z.enum(['info', 'warning', 'error']))
const OldTemplate = z.object({
  id,
  name,
  is_active: flag,
  email_recipients: list(z.string()),
  text_recipients: list(z.string()),
  email_from: text,
  action_type: text,
  action: reference,
  action_args: list(z.string()),
  action_env_vars: list(z.string()),
  action_timeout: number(15),
  resolved_action_type: text,
  resolved_action: reference,
  resolved_action_args: list(z.string()),
  resolved_action_env_vars: list(z.string()),
  resolved_action_timeout: number(15),
  action_rest: reference,
  resolved_action_rest: reference,
  ...sourceFields('agent'),
  ...sourceFields('check'),
  ...sourceFields('task'),
  check_email_alert_severity: severities,
  check_text_alert_severity: severities,
  check_dashboard_alert_severity: severities,
  task_email_alert_severity: severities,
  task_text_alert_severity: severities,
  task_dashboard_alert_severity: severities,
  exclude_workstations: flag,
  exclude_servers: flag,
  excluded_sites: list(id),
  excluded_clients: list(id),
  excluded_agents: list(z.unknown()),
})
export type OldTemplate = z.infer<typeof OldTemplate>

function sourceFields<Source extends 'agent' | 'check' | 'task'>(source: Source) {
  const fields = {
    email_on_resolved: flag,
    text_on_resolved: flag,
    always_email: always,
    always_text: always,
    always_alert: always,
    periodic_alert_days: number(0),
    script_actions: z
      .boolean()
      .nullish()
      .transform((value) => value ?? true),
  }
  const named = Object.entries(fields).map(([field, schema]) => [`${source}_${field}`, schema])
  // Object.fromEntries loses the literal names.
  return Object.fromEntries(named) as {
    [Field in keyof typeof fields as `${Source}_${Field}`]: (typeof fields)[Field]
  }
}

const OldRole = z.looseObject({
  id,
  name,
  is_superuser: flag,
  can_view_clients: list(id),
  can_view_sites: list(id),
})
export type OldRole = z.infer<typeof OldRole>
const OldUser = z.object({ id, username: name, email: text, is_active: flag, role: reference })
const Settings = z.object({
  server_policy: reference,
  workstation_policy: reference,
  alert_template: reference,
})

const OldAgent = z.object({
  agent_id: z.string().min(1),
  hostname: z.string().refine((value) => value.trim() !== '', 'A name is missing.'),
  client_name: z.string(),
  site_name: z.string(),
  plat: z.enum(['windows', 'linux', 'darwin']),
  monitoring_type: z.enum(['server', 'workstation']),
  description: text,
  policy: reference,
  block_policy_inheritance: flag,
  custom_fields: list(FieldValue),
})
export type OldAgent = z.infer<typeof OldAgent>
const OldNote = z.object({ agent_id: z.string(), note: text, username: text, entry_time: text })
export type OldNote = z.infer<typeof OldNote>

/** The part of a Tactical RMM server that moves. */
export interface OldData {
  clients: OldClient[]
  fields: OldField[]
  scripts: OldScript[]
  snippets: z.infer<typeof OldSnippet>[]
  keys: z.infer<typeof OldKey>[]
  templates: OldTemplate[]
  policies: OldPolicy[]
  /** Defaults for all machines. */
  settings: z.infer<typeof Settings>
  roles: OldRole[]
  users: z.infer<typeof OldUser>[]
  agents: OldAgent[]
  notes: OldNote[]
}

/** Reads everything but the code of scripts. What cannot be read is left out of the plan, by name. */
export async function readTactical(old: OldServer, planner: Planner): Promise<OldData> {
  const version = await old.read('/core/version/')
  if (typeof version !== 'string')
    throw new CliError('The old server is no Tactical RMM: /core/version/ is no text.')
  const rows = <Row extends z.ZodType>(path: string, kind: string, row: Row) =>
    readRows(old, planner, { path, kind, row })
  const policies: OldPolicy[] = []
  for (const head of await rows('/automation/policies/', 'policy', PolicyHead)) {
    const path = `/automation/policies/${head.id}`
    const checks = await rows(`${path}/checks/`, `check of ${head.name}`, OldCheck)
    policies.push({ ...head, checks, tasks: await rows(`${path}/tasks/`, `task of ${head.name}`, OldTask) })
  }
  const [settings] = await readRows(old, planner, { path: '/core/settings/', kind: 'setting', row: Settings })
  return {
    clients: await rows('/clients/', 'client', OldClient),
    fields: await rows('/core/customfields/', 'custom field', OldField),
    scripts: await rows('/scripts/?showCommunityScripts=true&showHiddenScripts=true', 'script', OldScript),
    snippets: await rows('/scripts/snippets/', 'snippet', OldSnippet),
    keys: await rows('/core/keystore/', 'key', OldKey),
    templates: await rows('/alerts/templates/', 'alert template', OldTemplate),
    policies,
    settings: settings ?? { server_policy: null, workstation_policy: null, alert_template: null },
    roles: await rows('/accounts/roles/', 'role', OldRole),
    users: await rows('/accounts/users/', 'user', OldUser),
    agents: await rows('/agents/', 'machine', OldAgent),
    notes: await rows('/agents/notes/', 'note', OldNote),
  }
}

export async function readScriptBody(old: OldServer, scriptId: number): Promise<string> {
  const parsed = ScriptBody.safeParse(await old.read(`/scripts/${scriptId}/`))
  if (!parsed.success)
    throw new CliError(`GET /scripts/${scriptId}/ of the old server: a script without its code.`)
  return parsed.data.script_body
}

/** A list, or one object. A list that the key may not read is one step that is left out. So is each row that is malformed. */
async function readRows<Row extends z.ZodType>(
  old: OldServer,
  planner: Planner,
  { path, kind, row }: { path: string; kind: string; row: Row },
): Promise<z.output<Row>[]> {
  const answer = await old.read(path).catch((error: unknown) => {
    if (!(error instanceof OldServerError) || ![403, 404].includes(error.status)) throw error
    planner.leaveOut({ kind, name: 'all', reason: error.message })
    return []
  })
  if (!Array.isArray(answer) && kind !== 'setting')
    throw new CliError(`GET ${path} of the old server: The response is no list.`)
  return [answer].flat().flatMap((one: unknown, index) => {
    const parsed = row.safeParse(one)
    if (parsed.success) return [parsed.data]
    const [issue] = parsed.error.issues
    const reason = `Unreadable: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`
    planner.leaveOut({ kind, name: nameOf(one) ?? `number ${index + 1} of the list`, reason })
    return []
  })
}

function nameOf(row: unknown): string | undefined {
  const text = z.string().min(1).optional()
  const { data } = z.object({ name: text, username: text, hostname: text }).safeParse(row)
  return data?.name ?? data?.username ?? data?.hostname
}
