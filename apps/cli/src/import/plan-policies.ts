import {
  createPatchPolicy,
  createPolicy,
  type Policy,
  type PolicyTarget,
} from '@muster/contract/api/policies'
import { TASK_DEFAULTS } from '@muster/contract/api/tasks'
import { PolicyCheck, PolicyTask } from '@muster/contract/policies/policy-content'
import { WinUpdateFields } from '@muster/contract/policies/win-update-policy'
import { Platform } from '@muster/contract/fields'
import { checkKey } from '@muster/rules/checks/check-key'
import { listTaskProblems, taskKey } from '@muster/rules/schedules/task-problems'
import type { z } from 'zod'
import { clientKey, fieldKey, siteKey, templateKey } from './plan-clients.ts'
import { ENV_VAR, scriptKey } from './plan-scripts.ts'
import { findProblem, type IdOf, indexByName, matchByName, type Planner } from './steps.ts'
import type {
  OldAction,
  OldCheck,
  OldData,
  OldPatchPolicy,
  OldPolicy,
  OldTask,
  OldTemplate,
} from './tactical.ts'

export const policyKey = (id: number): string => `policy ${id}`

/** An item of a policy as it is sent, with the id of what it names. */
type Item = (idOf: IdOf) => unknown

/** Scripts that policies and alert templates run, also those of the community library. */
export function findUsedScripts({
  policies,
  templates,
}: {
  policies: readonly OldPolicy[]
  templates: readonly OldTemplate[]
}): Set<number> {
  const ids = [
    ...policies.flatMap(({ checks }) => checks.map(({ script }) => script)),
    ...policies.flatMap(({ tasks }) => tasks.flatMap(({ actions }) => actions.map(({ script }) => script))),
    ...templates.flatMap(({ action, resolved_action }) => [action, resolved_action]),
  ]
  return new Set(ids.filter((id) => id !== null))
}

export function planPolicies(planner: Planner, data: OldData, present: readonly Policy[]): void {
  matchByName(planner, data.policies, present, {
    kind: 'policy',
    keyOf: ({ id }) => policyKey(id),
    nameOf: ({ name }) => name,
    presentNameOf: ({ name }) => name,
    whenPresent: () => '',
    whenNew: (old) => planPolicy(planner, data, old),
  })
  const findPolicy = indexByName(present, ({ name }) => name)
  for (const old of data.policies) {
    const [patches] = old.winupdatepolicy
    const here = findPolicy(old.name)
    if (patches !== undefined) planPatches(planner, old, patches, here)
  }
}

function planPolicy(planner: Planner, data: OldData, old: OldPolicy): void {
  const checks = planChecks(planner, old)
  const tasks = planTasks(planner, old, checks)
  const template = old.alert_template
  const hasTemplate = template !== null && planner.has(templateKey(template))
  const targets = findTargets(planner, data, old.id)
  const excluded_clients = old.excluded_clients.filter((id) => planner.has(clientKey(id)))
  const excluded_sites = old.excluded_sites.filter((id) => planner.has(siteKey(id)))
  const reasons = [
    `${count(checks.length, 'check')}, ${count(tasks.length, 'task')}, ${count(targets.length, 'assignment')}.`,
    template !== null && !hasTemplate ? 'Its alert template is left out.' : '',
    old.desc.length > MAX_DESCRIPTION ? 'Its description is cut.' : '',
    old.excluded_agents.length === 0 ? '' : 'Exclude single machines by hand.',
  ]
  planner.create({
    kind: 'policy',
    name: old.name,
    reason: reasons.filter(Boolean).join(' '),
    key: policyKey(old.id),
    endpoint: createPolicy,
    body: (idOf) => ({
      name: old.name,
      desc: old.desc.slice(0, MAX_DESCRIPTION),
      active: old.active,
      enforced: old.enforced,
      content: {
        // planChecks and planTasks have compared each with these schemas.
        checks: checks.map(({ item }) => item(idOf)) as z.input<typeof PolicyCheck>[],
        tasks: tasks.map((item) => item(idOf)) as z.input<typeof PolicyTask>[],
        alert_template: hasTemplate ? idOf(templateKey(template)) : null,
      },
      targets: targets.map((target) => target(idOf)),
      excluded_clients: excluded_clients.map((id) => idOf(clientKey(id))),
      excluded_sites: excluded_sites.map((id) => idOf(siteKey(id))),
      reason: 'Moved in',
    }),
  })
}

const MAX_DESCRIPTION = 1000

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Where the policy applies there. A client or site that is left out has a step that says so. */
function findTargets(
  planner: Planner,
  { clients, settings }: OldData,
  policyId: number,
): ((idOf: IdOf) => PolicyTarget)[] {
  return (['server', 'workstation'] as const).flatMap((monitoring_type) => {
    const isHere = (node: { server_policy: number | null; workstation_policy: number | null }) =>
      node[`${monitoring_type}_policy`] === policyId
    const sites = clients.flatMap((client) => client.sites)
    return [
      ...(isHere(settings) ? [() => ({ level: 'default' as const, monitoring_type })] : []),
      ...clients
        .filter((client) => isHere(client) && planner.has(clientKey(client.id)))
        .map(({ id }) => (idOf: IdOf) => ({
          level: 'client' as const,
          id: idOf(clientKey(id)),
          monitoring_type,
        })),
      ...sites
        .filter((site) => isHere(site) && planner.has(siteKey(site.id)))
        .map(({ id }) => (idOf: IdOf) => ({
          level: 'site' as const,
          id: idOf(siteKey(id)),
          monitoring_type,
        })),
    ]
  })
}

interface PlannedCheck {
  oldId: number
  item: Item
}

function planChecks(planner: Planner, policy: OldPolicy): PlannedCheck[] {
  const planned: PlannedCheck[] = []
  const keys = new Set<string>()
  for (const old of policy.checks) {
    const label = old.name || [old.check_type, old.disk, old.ip, old.svc_name].filter(Boolean).join(' ')
    const leaveOut = (reason: string) =>
      planner.leaveOut({ kind: 'policy check', name: `${policy.name}: ${label}`, reason })
    const settings = settingsOf(old)
    if (settings === undefined) {
      leaveOut(`Checks of the type "${old.check_type}" do not exist here.`)
      continue
    }
    if (old.check_type === 'script' && (old.script === null || !planner.has(scriptKey(old.script)))) {
      leaveOut('Its script is left out.')
      continue
    }
    const item: Item = (idOf) => ({
      settings: settings(idOf),
      fails_b4_alert: Math.min(10, Math.max(1, old.fails_b4_alert)),
      // Seconds on both sides; 0 is the interval of the machine.
      run_interval: old.run_interval === 0 ? 0 : Math.max(10, old.run_interval),
    })
    const parsed = PolicyCheck.safeParse(item(() => old.script ?? 1))
    const key = parsed.success ? checkKey(parsed.data.settings) : ''
    if (!parsed.success)
      leaveOut(
        findProblem(
          PolicyCheck,
          item(() => 1),
        ) ?? '',
      )
    else if (keys.has(key)) leaveOut('The policy has the same check already.')
    else {
      keys.add(key)
      planned.push({ oldId: old.id, item })
    }
  }
  return planned
}

/** Undefined for a type without a counterpart. */
function settingsOf(old: OldCheck): Item | undefined {
  const { alert_severity: severity, error_threshold, warning_threshold } = old
  const alert_severity = severity === '' ? 'warning' : severity
  const orNull = (text: string) => (text.trim() === '' ? null : text)
  switch (old.check_type) {
    case 'diskspace':
      // Percent of free space on both sides.
      return () => ({
        check_type: 'diskspace',
        disk: old.disk,
        threshold_unit: 'percent',
        error_threshold,
        warning_threshold,
      })
    case 'cpuload':
      return () => ({ check_type: 'cpuload', error_threshold, warning_threshold })
    case 'memory':
      return () => ({ check_type: 'memory', memory_kind: 'memory', error_threshold, warning_threshold })
    case 'ping':
      return () => ({ check_type: 'ping', name: old.name || old.ip, ip: old.ip, alert_severity })
    case 'winsvc':
      return () => ({
        check_type: 'service',
        svc_name: old.svc_name,
        ...(old.svc_display_name === '' ? {} : { svc_display_name: old.svc_display_name }),
        restart_if_stopped: old.restart_if_stopped,
        pass_if_start_pending: old.pass_if_start_pending,
        pass_if_svc_not_exist: old.pass_if_svc_not_exist,
        alert_severity,
      })
    case 'script':
      return (idOf) => ({
        check_type: 'script',
        script: idOf(scriptKey(old.script ?? 0)),
        script_args: old.script_args,
        env_vars: old.env_vars.filter((line) => ENV_VAR.test(line)),
        timeout: Math.min(3600, old.timeout),
        info_return_codes: old.info_return_codes,
        warning_return_codes: old.warning_return_codes,
        success_return_codes: old.success_return_codes,
      })
    case 'eventlog':
      return () => ({
        check_type: 'eventlog',
        name: old.name || `${old.log_name} ${old.event_id}`,
        log_name: old.log_name,
        event_id: old.event_id_is_wildcard ? 0 : old.event_id,
        event_id_is_wildcard: old.event_id_is_wildcard,
        event_type: old.event_type,
        event_source: orNull(old.event_source),
        event_message: orNull(old.event_message),
        fail_when: old.fail_when,
        search_last_days: old.search_last_days,
        number_of_events_b4_alert: Math.max(1, old.number_of_events_b4_alert),
        alert_severity,
      })
    default:
      return undefined
  }
}

function planTasks(planner: Planner, policy: OldPolicy, checks: readonly PlannedCheck[]): Item[] {
  const items: Item[] = []
  const names = new Set<string>()
  for (const old of policy.tasks) {
    const leaveOut = (reason: string) =>
      planner.leaveOut({ kind: 'policy task', name: `${policy.name}: ${old.name}`, reason })
    // A new policy numbers its checks from 1.
    const checkNumber = checks.findIndex(({ oldId }) => oldId === old.assigned_check) + 1
    const field =
      old.custom_field !== null && planner.has(fieldKey(old.custom_field)) ? old.custom_field : null
    const item = taskOf(old, checkNumber, field)
    const sample = PolicyTask.safeParse(item(() => 1))
    const problem =
      findTaskLoss(planner, old, checkNumber) ??
      findProblem(
        PolicyTask,
        item(() => 1),
      ) ??
      (sample.success ? listTaskProblems(sample.data.task)[0]?.sentence : undefined)
    if (problem !== undefined) leaveOut(problem)
    else if (names.has(taskKey(old))) leaveOut('The policy has a task with this name already.')
    else {
      names.add(taskKey(old))
      items.push(item)
    }
  }
  return items
}

/** Why a task would do something else here. */
function findTaskLoss(planner: Planner, old: OldTask, checkNumber: number): string | undefined {
  if (
    old.actions.some(
      ({ type, script }) => type === 'script' && (script === null || !planner.has(scriptKey(script))),
    )
  )
    return 'A script that it runs is left out.'
  const unknown = old.actions.find(({ type }) => type !== 'script' && type !== 'cmd')
  if (unknown !== undefined) return `Actions of the type "${unknown.type}" do not exist here.`
  if (old.task_type === 'checkfailure' && checkNumber === 0) return 'The check that starts it is left out.'
  if (old.custom_field !== null && !planner.has(fieldKey(old.custom_field)))
    return 'The custom field for its output is left out.'
  return undefined
}

/** Times are by the clock of the machine on both sides. */
function taskOf(old: OldTask, checkNumber: number, field: number | null): Item {
  return (idOf) => ({
    task: {
      ...TASK_DEFAULTS,
      name: old.name,
      enabled: old.enabled,
      actions: old.actions.map((action) => actionOf(action, idOf)),
      continue_on_error: old.continue_on_error,
      assigned_check: checkNumber === 0 ? null : checkNumber,
      alert_severity: old.alert_severity === '' ? 'info' : old.alert_severity,
      task_type: old.task_type,
      run_time_date: old.run_time_date,
      expire_date: old.expire_date,
      daily_interval: old.daily_interval,
      weekly_interval: old.weekly_interval,
      run_time_bit_weekdays: old.run_time_bit_weekdays,
      monthly_days_of_month: old.monthly_days_of_month,
      monthly_months_of_year: old.monthly_months_of_year,
      monthly_weeks_of_month: old.monthly_weeks_of_month,
      task_repetition_interval: old.task_repetition_interval,
      task_repetition_duration: old.task_repetition_duration,
      random_task_delay: old.random_task_delay,
      stop_task_at_duration_end: old.stop_task_at_duration_end,
      run_asap_after_missed: old.run_asap_after_missed,
      task_instance_policy: old.task_instance_policy,
      custom_field: field === null ? null : idOf(fieldKey(field)),
      collector_all_output: old.collector_all_output,
      // Here a task without an end cannot be removed after it.
      remove_if_not_scheduled:
        old.remove_if_not_scheduled && (old.expire_date !== null || old.task_type === 'runonce'),
    },
    task_supported_platforms: Platform.options.filter((platform) =>
      (old.task_supported_platforms.length === 0 ? ['windows'] : old.task_supported_platforms).includes(
        platform,
      ),
    ),
  })
}

function actionOf(action: OldAction, idOf: IdOf): unknown {
  const { type, script, script_args, env_vars, timeout, command, shell } = action
  if (type === 'script') {
    return {
      type,
      script: idOf(scriptKey(script ?? 0)),
      script_args,
      env_vars: env_vars.filter((line) => ENV_VAR.test(line)),
      timeout,
    }
  }
  const isPath = shell.includes('/') || shell.includes('\\')
  return { type, command, shell: isPath ? 'custom' : shell, custom_shell: isPath ? shell : null, timeout }
}

function planPatches(
  planner: Planner,
  old: OldPolicy,
  patches: OldPatchPolicy,
  here: Policy | undefined,
): void {
  const step = { kind: 'patch policy', name: old.name }
  if (here !== undefined && here.winupdatepolicy.length > 0) return planner.exists(step, [])
  // Inherited values become the defaults here.
  const given = Object.entries(patches).filter(([, value]) => value !== 'inherit' && value !== '')
  const fields = Object.fromEntries(given)
  const problem = findProblem(WinUpdateFields, fields)
  if (problem !== undefined) return planner.leaveOut({ ...step, reason: problem })
  const body = (idOf: IdOf) => ({ ...WinUpdateFields.parse(fields), policy: idOf(policyKey(old.id)) })
  planner.change({
    ...step,
    reason: given.length < Object.keys(patches).length ? 'What it inherits there is ignored here.' : '',
    schema: createPatchPolicy.body,
    body,
    call: (client, idOf) => client.callToEnd(createPatchPolicy, { body: body(idOf) }),
  })
}
