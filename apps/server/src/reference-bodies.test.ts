import { WITHOUT_EFFECT_HEADER } from '@muster/contract/client'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from './testing/test-server.ts'
import { createWorld, type World } from './testing/test-world.ts'

interface Call {
  method: 'POST' | 'PUT' | 'PATCH'
  url: (world: World) => string
  /** As programs written for the field's reference send it. */
  body: (world: World, now: Date) => Record<string, unknown>
  /** Fields that the response names as without effect. */
  withoutEffect?: string[]
  /** Fields of the response. */
  answer?: Record<string, unknown>
}

const alerting = { email_alert: false, text_alert: false, dashboard_alert: false }
const script = {
  name: 'Clean up',
  description: null,
  category: null,
  shell: 'shell',
  script_body: 'echo 1',
  args: null,
  env_vars: null,
  filename: null,
  syntax: null,
  supported_platforms: null,
  default_timeout: 90,
  favorite: false,
  hidden: false,
  run_as_user: false,
}
const emptyScript = {
  description: '',
  category: '',
  args: [],
  env_vars: [],
  filename: '',
  syntax: '',
  supported_platforms: [],
}
const installer = {
  agenttype: 'server',
  plat: 'windows',
  goarch: 'amd64',
  expires: 24,
  api: 'https://api.example.org',
  power: 0,
  rdp: 1,
  ping: 0,
}

const calls: Record<string, Call> = {
  'an installer': {
    method: 'POST',
    url: () => '/agents/installer/',
    body: ({ clientId, siteId }) => ({
      ...installer,
      installMethod: 'powershell',
      client: clientId,
      site: siteId,
      fileName: 'rmm-acme-hq-server.exe',
    }),
    withoutEffect: ['api', 'fileName'],
  },
  'a deployment': {
    method: 'POST',
    url: () => '/clients/deployments/',
    body: ({ siteId }, now) => ({
      site: siteId,
      agenttype: 'server',
      goarch: 'amd64',
      expires: new Date(now.getTime() + 86_400_000).toISOString(),
      power: 0,
      rdp: 1,
      ping: 0,
    }),
    answer: { install_flags: { power: false, rdp: true, ping: false } },
  },
  'a new script': {
    method: 'POST',
    url: () => '/scripts/',
    body: () => ({ ...script, guid: null, script_type: 'userdefined', script_hash: null }),
    withoutEffect: ['guid', 'script_hash', 'script_type'],
    answer: emptyScript,
  },
  'a script': {
    method: 'PUT',
    url: ({ scriptId }) => `/scripts/${scriptId}/`,
    body: ({ scriptId }) => ({ id: scriptId, ...script }),
    answer: emptyScript,
  },
  'a test of a script': {
    method: 'POST',
    url: ({ agentId }) => `/scripts/${agentId}/test/`,
    body: () => ({
      code: 'echo 1',
      timeout: 30,
      args: null,
      shell: 'shell',
      run_as_user: false,
      env_vars: null,
    }),
  },
  'a run of a script': {
    method: 'POST',
    url: ({ agentId }) => `/agents/${agentId}/runscript/`,
    body: ({ scriptId }) => ({
      script: scriptId,
      output: 'forget',
      emails: [],
      emailMode: 'default',
      custom_field: null,
      save_all_output: false,
      args: null,
      env_vars: null,
      timeout: 30,
      run_as_user: false,
      run_on_server: false,
    }),
    withoutEffect: ['custom_field', 'emailMode', 'emails', 'run_on_server', 'save_all_output'],
  },
  'a script on many machines': {
    method: 'POST',
    url: () => '/agents/actions/bulk/',
    body: ({ scriptId, agentId }) => ({
      mode: 'script',
      target: 'agents',
      monType: 'all',
      osType: 'all',
      client: null,
      site: null,
      agents: [agentId],
      script: scriptId,
      args: null,
      env_vars: null,
      cmd: null,
      shell: null,
      custom_shell: null,
      timeout: 30,
      run_as_user: false,
      custom_field: null,
      collector_all_output: false,
      save_to_agent_note: false,
      patchMode: null,
      offlineAgents: true,
    }),
  },
  'a new snippet': {
    method: 'POST',
    url: () => '/scripts/snippets/',
    body: () => ({ name: 'head', desc: null, shell: 'shell', code: 'echo 1' }),
    answer: { desc: '' },
  },
  'a snippet': {
    method: 'PUT',
    url: ({ snippetId }) => `/scripts/snippets/${snippetId}/`,
    body: ({ snippetId }) => ({ id: snippetId, desc: null }),
    answer: { desc: '' },
  },
  'a check': {
    method: 'POST',
    url: () => '/checks/',
    body: ({ agentId, scriptId }) => ({
      ...alerting,
      agent: agentId,
      check_type: 'script',
      script: scriptId,
      script_args: null,
      env_vars: null,
      timeout: 60,
      info_return_codes: null,
      warning_return_codes: null,
      success_return_codes: null,
      fails_b4_alert: 1,
      run_interval: 0,
    }),
    withoutEffect: ['dashboard_alert', 'email_alert', 'text_alert'],
  },
  'a task': {
    method: 'POST',
    url: () => '/tasks/',
    body: ({ agentId }) => ({
      ...alerting,
      agent: agentId,
      name: 'Nightly',
      enabled: true,
      actions: [{ type: 'cmd', command: 'true', shell: '/bin/bash', timeout: 30 }],
      continue_on_error: true,
      alert_severity: 'info',
      assigned_check: null,
      custom_field: null,
      collector_all_output: false,
      task_type: 'daily',
      run_time_date: '2099-01-01T02:00:00Z',
      expire_date: null,
      daily_interval: 1,
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
      run_asap_after_missed: true,
      task_instance_policy: 1,
    }),
    withoutEffect: ['dashboard_alert', 'email_alert', 'text_alert'],
  },
  'a new policy': {
    method: 'POST',
    url: () => '/automation/policies/',
    body: () => ({ name: 'Servers', desc: null, active: false, enforced: false, alert_template: null }),
    answer: { desc: '' },
  },
  'a policy': {
    method: 'PUT',
    url: ({ policyId }) => `/automation/policies/${policyId}/`,
    body: ({ policyId }) => ({ id: policyId, name: 'Servers', desc: null, active: false }),
    answer: { desc: '' },
  },
  'an alert template': {
    method: 'POST',
    url: () => '/alerts/templates/',
    body: () => ({
      name: 'Night',
      is_active: true,
      action_type: null,
      action: null,
      action_rest: null,
      action_args: null,
      action_env_vars: null,
      action_timeout: 15,
      resolved_action_args: null,
      resolved_action_env_vars: null,
      email_from: '',
      email_recipients: null,
      text_recipients: null,
      check_email_alert_severity: null,
      agent_periodic_alert_days: 0,
    }),
    withoutEffect: ['email_from'],
    answer: { email_recipients: [], action_args: [] },
  },
  'an alert': {
    method: 'PUT',
    url: ({ alertId }) => `/alerts/${alertId}/`,
    body: ({ alertId }) => ({ id: alertId, type: 'snooze', snooze_days: 2 }),
    withoutEffect: ['id'],
  },
  'a URL action': {
    method: 'POST',
    url: () => '/core/urlaction/',
    body: () => ({
      name: 'Docs',
      desc: null,
      pattern: 'https://docs.example.org/',
      action_type: 'web',
      rest_method: 'get',
      rest_body: '{}',
      rest_headers: '{}',
    }),
    withoutEffect: ['action_type', 'rest_body', 'rest_headers', 'rest_method'],
    answer: { desc: '' },
  },
  'a custom field': {
    method: 'POST',
    url: () => '/core/customfields/',
    body: () => ({
      model: 'agent',
      type: 'text',
      name: 'Asset tag',
      options: null,
      required: false,
      default_value_string: null,
      default_value_bool: false,
      default_values_multiple: null,
      hide_in_ui: false,
      hide_in_summary: false,
    }),
    answer: { options: [], default_value_string: '', default_values_multiple: [] },
  },
  'a new client': {
    method: 'POST',
    url: () => '/clients/',
    body: () => ({ client: { name: 'Beta' }, site: { name: 'Main' }, custom_fields: null }),
  },
  'a client': {
    method: 'PUT',
    url: ({ clientId }) => `/clients/${clientId}/`,
    body: ({ clientId }) => ({
      client: { id: clientId, name: 'Beta' },
      site: { name: '' },
      custom_fields: [],
    }),
    withoutEffect: ['site'],
  },
  'a machine': {
    method: 'PUT',
    url: ({ agentId }) => `/agents/${agentId}/`,
    body: () => ({ description: null, custom_fields: null, time_zone: null }),
    answer: { description: '' },
  },
  'a user': {
    method: 'PUT',
    url: ({ user }) => `/accounts/${user.id}/users/`,
    body: ({ user }) => ({ id: user.id, first_name: null, last_name: null, email: null }),
    answer: { first_name: '', last_name: '', email: '' },
  },
}

async function open(server: TestServer, call: Call, name = 'Walk') {
  const world = await createWorld(server, name)
  const root = server.as(await server.given.user({ superuser: true }))
  const answer = await root.send({
    method: call.method,
    url: call.url(world),
    payload: JSON.stringify(call.body(world, server.clock.now())),
    headers: { 'content-type': 'application/json' },
  })
  return { answer }
}

test.each(Object.entries(calls))('programs for the reference can write %s', async (_name, call) => {
  await using server = await createTestServer()
  const { answer } = await open(server, call)
  expect([answer.status, answer.text]).toEqual([200, answer.text])
  expect(answer.headers[WITHOUT_EFFECT_HEADER]).toBe(call.withoutEffect?.join(', '))
  if (call.answer !== undefined) expect(answer.body).toMatchObject(call.answer)
})

test('a field is refused if it asks for an effect that does not exist', async () => {
  await using server = await createTestServer()
  const check = calls['a check']
  const run = calls['a run of a script']
  if (check === undefined || run === undefined) throw new Error('No such call')
  for (const [call, name, value] of [
    [check, 'email_alert', true],
    [run, 'run_on_server', true],
    [run, 'custom_field', 3],
  ] as const) {
    const asking: Call = { ...call, body: (world, now) => ({ ...call.body(world, now), [name]: value }) }
    const { answer } = await open(server, asking, `Walk ${name}`)
    expect([name, answer.status, answer.error.detail]).toEqual([name, 400, `Unknown field: ${name}`])
  }
})
