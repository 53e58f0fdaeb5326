import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export const OLD_KEY = 'OLDKEY0123456789OLDKEY0123456789'

export type Answers = Record<string, unknown>

const audit = {
  created_by: 'ada',
  created_time: '2024-03-01T09:00:00.000000Z',
  modified_by: 'ada',
  modified_time: '2024-03-01T09:00:00.000000Z',
}
const node = {
  ...audit,
  server_policy: null,
  workstation_policy: null,
  alert_template: null,
  block_policy_inheritance: false,
  agent_count: 1,
  maintenance_mode: false,
  failing_checks: { error: false, warning: false },
}

/** The answers of a small server, by path, in the documented shapes. */
export function recordedAnswers(): Answers {
  return {
    '/core/version/': '0.0.203',
    '/clients/': [
      {
        ...node,
        id: 4,
        name: 'Acme',
        block_policy_inheritance: true,
        custom_fields: [
          { id: 1, field: 11, client: 4, value: 'A-100', string_value: 'A-100', bool_value: false },
          { id: 2, field: 12, client: 4, value: ['Gold', 'Silver'] },
        ],
        sites: [
          { ...node, id: 7, client: 4, client_name: 'Acme', name: 'Berlin', custom_fields: [] },
          {
            ...node,
            id: 8,
            client: 4,
            client_name: 'Acme',
            name: 'Zürich',
            custom_fields: [{ id: 3, field: 13, site: 8, value: true }],
          },
        ],
      },
      {
        ...node,
        id: 5,
        name: 'Globex',
        custom_fields: [],
        sites: [{ ...node, id: 9, client: 5, client_name: 'Globex', name: 'Main', custom_fields: [] }],
      },
    ],
    '/core/customfields/': [
      field({ id: 11, model: 'client', type: 'text', name: 'Contract', required: true }),
      field({
        id: 12,
        model: 'client',
        type: 'multiple',
        name: 'Levels',
        options: ['Gold', 'Silver', 'Gold'],
      }),
      field({ id: 13, model: 'site', type: 'checkbox', name: 'Key at reception' }),
      field({ id: 14, model: 'agent', type: 'number', name: 'Rack', default_value_string: 'one' }),
    ],
    '/scripts/?showCommunityScripts=true&showHiddenScripts=true': [
      script({ id: 21, name: 'Clean the cache', default_timeout: 3, env_vars: ['LEVEL=2', 'broken'] }),
      script({ id: 22, name: 'Win_Community', script_type: 'builtin' }),
    ],
    '/scripts/21/': { ...script({ id: 21, name: 'Clean the cache' }), script_body: 'rm -rf /tmp/cache\n' },
    '/scripts/22/': { ...script({ id: 22, name: 'Win_Community' }), script_body: 'exit 0\n' },
    '/scripts/snippets/': [{ id: 31, name: 'log', desc: 'Logs', code: 'echo "$1"', shell: 'shell' }],
    '/automation/policies/': [],
    '/core/settings/': { id: 1, server_policy: null, workstation_policy: null, alert_template: null },
    '/alerts/templates/': [],
    '/accounts/roles/': [],
    '/accounts/users/': [],
    '/agents/': [],
    '/agents/notes/': [],
    '/core/keystore/': [{ id: 41, ...audit, name: 'api_token', value: 'a-secret-of-the-old-server' }],
  }
}

/** A row of the list of machines. */
export function machine(fields: object) {
  return {
    agent_id: 'oldagentoldagentoldagentoldagentoldagent',
    alert_template: null,
    hostname: 'PC-12',
    site_name: 'Berlin',
    client_name: 'Acme',
    monitoring_type: 'workstation',
    description: '',
    needs_reboot: false,
    pending_actions_count: 0,
    status: 'online',
    last_seen: '2026-11-20T08:00:00.000000Z',
    boot_time: 1_763_600_000.5,
    maintenance_mode: false,
    logged_username: 'None',
    italic: false,
    policy: null,
    block_policy_inheritance: false,
    plat: 'windows',
    goarch: 'amd64',
    version: '2.11.0',
    custom_fields: [],
    serial_number: 'S-1',
    ...fields,
  }
}

/** The same server with policies, alert templates, roles and users. */
export function answersWithPolicies(): Answers {
  const answers = recordedAnswers()
  const [acme, globex] = answers['/clients/'] as {
    workstation_policy: number | null
    alert_template: number | null
  }[]
  if (acme) acme.workstation_policy = 51
  if (globex) globex.alert_template = 61
  return {
    ...answers,
    '/automation/policies/': [
      {
        ...audit,
        id: 51,
        name: 'Servers',
        desc: null,
        active: true,
        enforced: false,
        alert_template: 61,
        excluded_sites: [8],
        excluded_clients: [],
        excluded_agents: [3],
        agents_count: 2,
        default_server_policy: true,
        default_workstation_policy: false,
        winupdatepolicy: [
          {
            id: 1,
            policy: 51,
            critical: 'approve',
            important: 'approve',
            moderate: 'manual',
            low: 'inherit',
            other: 'ignore',
            run_time_hour: 4,
            run_time_frequency: 'daily',
            run_time_days: [5, 6],
            run_time_day: 1,
            reboot_after_install: 'required',
            email_if_fail: true,
          },
        ],
      },
    ],
    '/automation/policies/51/checks/': [
      check({ id: 1, check_type: 'diskspace', disk: 'C:', error_threshold: 10, warning_threshold: 20 }),
      check({ id: 2, check_type: 'cpuload', error_threshold: 95, warning_threshold: 0, run_interval: 300 }),
      check({ id: 3, check_type: 'cpuload', error_threshold: 90, warning_threshold: 80 }),
      check({
        id: 4,
        check_type: 'ping',
        name: 'Gateway',
        ip: '192.0.2.1',
        alert_severity: 'error',
        run_interval: 5,
      }),
      check({
        id: 5,
        check_type: 'winsvc',
        svc_name: 'Spooler',
        svc_display_name: 'Print Spooler',
        restart_if_stopped: true,
        fails_b4_alert: 3,
      }),
      check({
        id: 6,
        check_type: 'script',
        script: 22,
        script_args: ['-v'],
        timeout: 7200,
        warning_return_codes: [2],
      }),
      check({
        id: 7,
        check_type: 'eventlog',
        name: 'Bad blocks',
        log_name: 'System',
        event_id: 7,
        event_id_is_wildcard: false,
        event_type: 'ERROR',
        event_source: '',
        event_message: null,
        fail_when: 'contains',
        search_last_days: 1,
        number_of_events_b4_alert: 1,
      }),
      check({ id: 8, check_type: 'snmp', name: 'Printer' }),
      check({ id: 9, check_type: 'diskspace', disk: '', error_threshold: 10 }),
      check({ id: 10, check_type: 'script', script: 999 }),
    ],
    '/automation/policies/51/tasks/': [
      task({
        id: 1,
        name: 'Weekly clean',
        task_type: 'weekly',
        run_time_date: '2024-01-01T03:00:00Z',
        run_time_bit_weekdays: 3,
        actions: [
          { type: 'script', script: 21, name: 'Clean the cache', script_args: [], env_vars: [], timeout: 90 },
          { type: 'cmd', command: 'echo done', shell: 'cmd', timeout: 30 },
        ],
      }),
      task({
        id: 2,
        name: 'Restart spooler',
        task_type: 'checkfailure',
        assigned_check: 5,
        custom_field: 14,
        actions: [{ type: 'cmd', command: 'net start spooler', shell: 'powershell', timeout: 30 }],
      }),
      task({
        id: 3,
        name: 'Old',
        task_type: 'scheduled',
        actions: [{ type: 'cmd', command: 'x', shell: 'cmd' }],
      }),
      task({ id: 4, name: 'No script', task_type: 'manual', actions: [{ type: 'script', script: 999 }] }),
    ],
    '/core/settings/': { id: 1, server_policy: 51, workstation_policy: null, alert_template: 61 },
    '/alerts/templates/': [
      {
        ...audit,
        id: 61,
        name: 'Standard',
        is_active: true,
        action_type: 'script',
        action: 21,
        action_rest: null,
        action_args: ['now'],
        action_env_vars: [],
        action_timeout: 15,
        resolved_action_type: 'rest',
        resolved_action: null,
        resolved_action_rest: 3,
        resolved_action_args: [],
        resolved_action_env_vars: [],
        resolved_action_timeout: 15,
        email_recipients: ['ops@example.org', 'nobody'],
        text_recipients: ['+41791234567'],
        email_from: '',
        agent_email_on_resolved: true,
        agent_text_on_resolved: false,
        agent_always_email: true,
        agent_always_text: null,
        agent_always_alert: true,
        agent_periodic_alert_days: 2,
        agent_script_actions: true,
        check_email_alert_severity: [],
        check_text_alert_severity: ['error'],
        check_dashboard_alert_severity: [],
        check_always_email: null,
        check_periodic_alert_days: 0,
        check_script_actions: false,
        exclude_workstations: false,
        exclude_servers: false,
        excluded_sites: [],
        excluded_clients: [5],
        excluded_agents: [],
      },
    ],
    '/accounts/roles/': [
      {
        ...audit,
        id: 71,
        name: 'Helpdesk',
        is_superuser: false,
        can_list_agents: true,
        can_send_cmd: true,
        can_code_sign: true,
        can_edit_agent: false,
        can_view_clients: [4],
        can_view_sites: [],
        user_count: 1,
      },
    ],
    '/accounts/users/': [
      { id: 1, username: 'Ada', email: 'ada@example.org', is_active: true, role: null },
      { id: 2, username: 'grace', email: 'grace@example.org', is_active: true, role: 71 },
      { id: 3, username: 'left', email: '', is_active: false, role: 71 },
    ],
  }
}

function check(fields: object) {
  return {
    ...audit,
    agent: null,
    policy: 51,
    overridden_by_policy: false,
    name: null,
    email_alert: false,
    text_alert: false,
    dashboard_alert: true,
    fails_b4_alert: 1,
    run_interval: 0,
    alert_severity: 'warning',
    error_threshold: 0,
    warning_threshold: 0,
    disk: null,
    ip: null,
    script_args: [],
    env_vars: [],
    info_return_codes: [],
    warning_return_codes: [],
    timeout: null,
    svc_name: null,
    ...fields,
  }
}

function task(fields: object) {
  return {
    ...audit,
    agent: null,
    policy: 51,
    enabled: true,
    continue_on_error: true,
    assigned_check: null,
    custom_field: null,
    collector_all_output: false,
    alert_severity: 'info',
    task_supported_platforms: ['windows'],
    run_time_date: null,
    expire_date: null,
    daily_interval: null,
    weekly_interval: 1,
    run_time_bit_weekdays: null,
    monthly_days_of_month: null,
    monthly_months_of_year: null,
    monthly_weeks_of_month: null,
    task_repetition_interval: null,
    task_repetition_duration: null,
    stop_task_at_duration_end: false,
    random_task_delay: null,
    remove_if_not_scheduled: false,
    run_asap_after_missed: false,
    task_instance_policy: 1,
    ...fields,
  }
}

export function field(fields: object) {
  return {
    ...audit,
    order: 0,
    options: [],
    required: false,
    default_value_string: null,
    default_value_bool: false,
    default_values_multiple: [],
    hide_in_ui: false,
    hide_in_summary: false,
    ...fields,
  }
}

export function script(fields: object) {
  return {
    description: null,
    script_type: 'userdefined',
    shell: 'shell',
    args: [],
    category: null,
    favorite: false,
    default_timeout: 90,
    syntax: null,
    filename: 'clean.sh',
    hidden: false,
    supported_platforms: ['linux'],
    run_as_user: false,
    env_vars: [],
    ...fields,
  }
}

/** A server that answers by path, to the right key only. Returns its address and the requests. */
export async function startTactical(answers: Answers) {
  const requests: string[] = []
  const url = await serve((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const isAllowed = keyOf(request) === OLD_KEY
    const answer = answers[request.url ?? '']
    response.setHeader('content-type', 'application/json')
    if (!isAllowed) response.writeHead(401).end('{"detail":"Invalid token."}')
    else if (answer === undefined) response.writeHead(404).end('{"detail":"Not found."}')
    else response.end(JSON.stringify(answer))
  })
  return { url, requests }
}

export async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // Listening on TCP.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function keyOf({ headers }: IncomingMessage): unknown {
  return headers['x-api-key']
}
