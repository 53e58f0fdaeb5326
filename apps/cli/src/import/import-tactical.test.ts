import { listAlertTemplates } from '@muster/contract/api/alert-templates'
import { listClients } from '@muster/contract/api/clients'
import { listCustomFields } from '@muster/contract/api/custom-fields'
import { listKeyStore } from '@muster/contract/api/keystore'
import { listPolicies } from '@muster/contract/api/policies'
import { getScript, listScripts } from '@muster/contract/api/scripts'
import { listSnippets } from '@muster/contract/api/snippets'
import type { RequestListener } from 'node:http'
import { expect, test } from 'vitest'
import { givenCli, startCli } from '../test-cli.ts'
import {
  answersWithPolicies,
  OLD_KEY,
  recordedAnswers,
  script,
  serve,
  startTactical,
} from './test-tactical.ts'

type Cli = Awaited<ReturnType<typeof givenCli>>
interface Shown {
  applied: boolean
  steps: { kind: string; name: string; result: string; reason: string }[]
}

const args = (url: string, ...more: string[]) => [
  'import',
  'tactical',
  '--url',
  url,
  '--key',
  OLD_KEY,
  ...more,
]

async function importFrom(cli: Cli, url: string, ...more: string[]) {
  const { code, stdout, stderr } = await cli.run('--json', ...args(url, ...more))
  const { steps } = JSON.parse(stdout) as Shown
  const lines = steps.map(({ kind, name, result, reason }) => [kind, name, result, reason].join(' | ').trim())
  return { code, lines, stderr }
}

test('the plan shows what moves and changes nothing; --apply creates it; a repeat finds everything', async () => {
  await using cli = await givenCli()
  const old = await startTactical(recordedAnswers())
  const planned = await importFrom(cli, old.url)
  expect(planned).toEqual({
    code: 0,
    lines: [
      'client field | Contract | create | Not required here: a required field needs a default.',
      'client field | Levels | create |',
      'site field | Key at reception | create |',
      'machine field | Rack | create | Its default must be a number such as 42 or 0.5. The default is left out.',
      'client | Acme | create | With the site "Berlin".',
      'client | Globex | create | With the site "Main".',
      'site | Acme / Zürich | create |',
      'script | Clean the cache | create | Environment variables without NAME=value are left out. Its time limit becomes 5 seconds.',
      'snippet | log | create |',
      'key | api_token | by hand | Enter its value in the key store of the console.',
      'client settings | Acme | change | 2 custom fields, inherits no policies.',
      'site settings | Acme / Zürich | change | 1 custom field.',
    ],
    stderr: '9 to create, 2 to change, 1 by hand. Nothing was changed. Add --apply to carry out the plan.\n',
  })
  const ada = cli.server.as(cli.ada)
  expect((await ada.call(listClients, { query: {} })).body).toEqual([])

  const applied = await importFrom(cli, old.url, '--apply')
  expect(applied).toMatchObject({ code: 0, stderr: '9 created, 2 changed, 1 by hand.\n' })
  const { body: clients } = await ada.call(listClients, { query: {} })
  expect(clients.map(({ name, sites }) => [name, sites.map((site) => site.name)])).toEqual([
    ['Acme', ['Berlin', 'Zürich']],
    ['Globex', ['Main']],
  ])
  const [acme] = clients
  expect(acme?.block_policy_inheritance).toBe(true)
  expect(acme?.custom_fields.map(({ value }) => value)).toEqual(['A-100', ['Gold', 'Silver']])
  expect(acme?.sites[1]?.custom_fields.map(({ value }) => value)).toEqual([true])
  const { body: fields } = await ada.call(listCustomFields, { query: {} })
  expect(fields.find(({ name }) => name === 'Levels')?.options).toEqual(['Gold', 'Silver'])
  const scripts = (await ada.call(listScripts, { query: {} })).body
  const { id = 0 } = scripts.find(({ name }) => name === 'Clean the cache') ?? {}
  expect((await ada.call(getScript, { params: { id } })).body).toMatchObject({
    script_body: 'rm -rf /tmp/cache\n',
    shell: 'shell',
    env_vars: ['LEVEL=2'],
    default_timeout: 5,
    supported_platforms: ['linux'],
  })
  expect(scripts.map(({ name }) => name)).not.toContain('Win_Community')
  expect((await ada.call(listSnippets, {})).body).toMatchObject([{ name: 'log', code: 'echo "$1"' }])
  expect((await ada.call(listKeyStore, {})).body).toEqual([])

  const again = await importFrom(cli, old.url, '--apply')
  expect(again).toMatchObject({ code: 0, stderr: '13 already here, 1 by hand.\n' })
  expect(old.requests.filter((line) => !line.startsWith('GET '))).toEqual([])
})

test('the plan is a table for people', async () => {
  await using cli = await givenCli()
  const old = await startTactical(recordedAnswers())
  const { code, stdout } = await startCli(args(old.url).toSpliced(4, 2), cli.env, OLD_KEY).ended
  expect(code).toBe(0)
  expect(stdout).toMatch(/^KIND +NAME +RESULT +REASON\n/)
  expect(stdout).toMatch(/\nclient +Globex +create +With the site "Main"\.\n/)
  expect(stdout).not.toContain('a-secret-of-the-old-server')
})

test('what exists stays as it is, also with other capitals', async () => {
  await using cli = await givenCli()
  const { id } = await cli.server.given.client({ name: 'ACME' })
  await cli.server.given.site({ client_id: id, name: 'Hamburg' })
  await cli.server.given.script({ name: 'Clean the cache' })
  const old = await startTactical(recordedAnswers())
  const { lines } = await importFrom(cli, old.url, '--apply')
  expect(lines).toContain('client | Acme | exists | Its name here is "ACME".')
  expect(lines).toContain('site | Acme / Berlin | created |')
  expect(lines).toContain('script | Clean the cache | exists | Its code here differs, and stays.')
  const { body } = await cli.server.as(cli.ada).call(listClients, { query: {} })
  expect(body.map(({ name }) => name)).toEqual(['ACME', 'Globex'])
})

test('malformed, long and repeated names are left out by name, with what needs them', async () => {
  await using cli = await givenCli()
  const answers = recordedAnswers()
  const long = 'x'.repeat(256)
  const site = { id: 70, name: 'Main' }
  answers['/clients/'] = [
    { id: 1, name: 'Acme', sites: [site, { id: 71, name: 'MAIN' }] },
    { id: 2, name: 'acme ', sites: [{ id: 72, name: 'Other' }] },
    { id: 3, name: long, sites: [{ id: 73, name: 'Main' }] },
    { id: 4, name: 'No | pipe', sites: [{ id: 74, name: 'Main' }] },
    { id: 5, name: 'Empty', sites: [] },
    {
      id: 6,
      name: 'Fields',
      sites: [{ id: 76, name: 'Main' }],
      custom_fields: [{ field: 14, value: 'one' }],
    },
    { id: 'seven', name: 'Seven' },
    { id: 8 },
    'nine',
  ]
  const { code, lines } = await importFrom(cli, (await startTactical(answers)).url, '--apply')
  expect(code).toBe(0)
  expect(lines.filter((line) => /^(client|site)( settings)? \|/.test(line))).toEqual([
    expect.stringMatching(/^client \| Seven \| left out \| Unreadable: id: /),
    expect.stringMatching(/^client \| number 8 of the list \| left out \| Unreadable: name: /),
    expect.stringMatching(/^client \| number 9 of the list \| left out \| Unreadable: /),
    'client | Acme | created | With the site "Main".',
    'client | acme | left out | The old server also has "Acme". Rename one of them there.',
    `client | ${long} | left out | client.name: A name has at most 255 characters.`,
    'client | No | pipe | left out | client.name: A name may not contain "|".',
    'client | Empty | left out | It has no site, and a client needs one.',
    'client | Fields | created | With the site "Main".',
    'site | Acme / MAIN | left out | The old server also has "Acme / Main". Rename one of them there.',
    expect.stringContaining('site | acme  / Other | left out | Needs the client "acme", left out.'),
    expect.stringContaining(`left out | Needs the client "${long}", left out.`),
    'site | No | pipe / Main | left out | Needs the client "No | pipe", left out.',
    'client settings | Fields: Rack | left out | Rack must be a number such as 42 or 0.5.',
  ])
})

test('a refused step is named with its reason, what needs it is skipped, and the exit code is 1', async () => {
  await using cli = await givenCli({
    key: {
      permissions: [
        'can_list_clients',
        'can_view_customfields',
        'can_list_scripts',
        'can_view_global_keystore',
        'can_manage_scripts',
        'can_list_alerttemplates',
        'can_list_automation_policies',
        'can_list_accounts',
        'can_list_agents',
        'can_list_notes',
      ],
    },
  })
  const old = await startTactical(recordedAnswers())
  const { code, lines } = await importFrom(cli, old.url, '--apply')
  expect(code).toBe(1)
  expect(lines).toContainEqual(expect.stringMatching(/^client \| Acme \| failed \| .+\(request /))
  expect(lines).toContain('site | Acme / Zürich | skipped | Needs the client "Acme", not created.')
  expect(lines).toContainEqual(expect.stringMatching(/^script \| Clean the cache \| created \|/))
})

test.each<[string, RequestListener, RegExp]>([
  ['a wrong key', (_, response) => response.writeHead(401).end('{}'), /The API key is wrong or expired/],
  ['HTML', (_, response) => response.end('<html>'), /The response is no JSON\. Use the address of its API/],
  ['another program', (_, response) => response.end('{}'), /The old server is no Tactical RMM/],
  ['a wrong address', (_, response) => response.writeHead(404).end(), /Nothing is at this address \(404\)/],
  ['an error', (_, response) => response.writeHead(502).end('<html>'), /responds with the error 502/],
  [
    'a redirect',
    (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/stolen' }).end(),
    /It redirects to http:\/\/127\.0\.0\.1:1\/stolen/,
  ],
  [
    'half a response',
    (_, response) => void response.writeHead(200, { 'content-length': 9 }).end('"'),
    /GET /,
  ],
])('%s of the old server is one line that names the endpoint', async (_name, answer, reason) => {
  await using cli = await givenCli()
  const url = await serve(answer)
  const { code, stdout, stderr } = await cli.run(...args(url))
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(reason)
  expect(stderr).toMatch(/^muster: .*\/core\/version\/.*\n$/)
  expect(stderr).not.toContain(OLD_KEY)
})

test('policies move with checks, tasks, patches and assignments; alert templates too; roles and users are by hand', async () => {
  await using cli = await givenCli()
  const old = await startTactical(answersWithPolicies())
  const { code, lines } = await importFrom(cli, old.url, '--apply')
  expect(code).toBe(0)
  const kinds =
    /^(script|alert template|client settings|policy|policy check|policy task|patch policy|role|user|setting) \|/
  expect(lines.filter((line) => kinds.test(line))).toEqual([
    expect.stringMatching(/^script \| Clean the cache \| created \|/),
    'script | Win_Community | created | From the community library, because something uses it.',
    'alert template | Standard | created | Invalid recipients are left out: nobody. Its action when resolved is a web request: add it by hand.',
    'setting | default alert template | changed |',
    'client settings | Acme | changed | 2 custom fields, inherits no policies.',
    'client settings | Globex | changed | alert template.',
    'policy check | Servers: cpuload | left out | The policy has the same check already.',
    'policy check | Servers: Printer | left out | Checks of the type "snmp" do not exist here.',
    'policy check | Servers: diskspace | left out | settings.disk: A path is needed.',
    'policy check | Servers: script | left out | Its script is left out.',
    expect.stringMatching(/^policy task \| Servers: Old \| left out \| task\.task_type: /),
    'policy task | Servers: No script | left out | A script that it runs is left out.',
    'policy | Servers | created | 6 checks, 2 tasks, 2 assignments. Exclude single machines by hand.',
    'patch policy | Servers | changed | What it inherits there is ignored here.',
    'role | Helpdesk | by hand | Create it in the console with: can_list_agents, can_send_cmd. It sees only Acme. Not known here: can_code_sign.',
    'user | Ada | exists | Its name here is "ada".',
    'user | grace | by hand | Invite grace@example.org in the console with the role "Helpdesk".',
    'user | left | left out | Blocked there.',
  ])
  const ada = cli.server.as(cli.ada)
  const [policy] = (await ada.call(listPolicies, { query: {} })).body
  const [template] = (await ada.call(listAlertTemplates, {})).body
  const scripts = (await ada.call(listScripts, { query: {} })).body
  const idOf = (name: string) => scripts.find((one) => one.name === name)?.id
  const clients = (await ada.call(listClients, { query: {} })).body
  const [acme, globex] = clients
  expect(policy).toMatchObject({
    name: 'Servers',
    active: true,
    enforced: false,
    excluded_sites: [acme?.sites[1]?.id],
    targets: [
      { level: 'default', monitoring_type: 'server' },
      { level: 'client', id: acme?.id, monitoring_type: 'workstation' },
    ],
    content: { alert_template: template?.id },
    winupdatepolicy: [
      {
        critical: 'approve',
        moderate: 'manual',
        low: 'ignore',
        run_time_hour: 4,
        run_time_days: [5, 6],
        reboot_after_install: 'required',
        email_if_fail: true,
      },
    ],
  })
  expect(policy?.content.checks).toMatchObject([
    {
      settings: {
        check_type: 'diskspace',
        disk: 'C:',
        threshold_unit: 'percent',
        error_threshold: 10,
        warning_threshold: 20,
      },
      run_interval: 0,
    },
    { settings: { check_type: 'cpuload', error_threshold: 95, warning_threshold: 0 }, run_interval: 300 },
    {
      settings: { check_type: 'ping', name: 'Gateway', ip: '192.0.2.1', alert_severity: 'error' },
      run_interval: 10,
    },
    { settings: { check_type: 'service', svc_name: 'Spooler', restart_if_stopped: true }, fails_b4_alert: 3 },
    {
      settings: {
        check_type: 'script',
        script: idOf('Win_Community'),
        script_args: ['-v'],
        timeout: 3600,
        warning_return_codes: [2],
      },
    },
    { settings: { check_type: 'eventlog', event_id: 7, event_id_is_wildcard: false, event_source: null } },
  ])
  expect(policy?.content.tasks).toMatchObject([
    {
      task: {
        name: 'Weekly clean',
        task_type: 'weekly',
        run_time_date: '2024-01-01T03:00',
        run_time_bit_weekdays: 3,
        actions: [
          { type: 'script', script: idOf('Clean the cache') },
          { type: 'cmd', command: 'echo done', shell: 'cmd' },
        ],
      },
      task_supported_platforms: ['windows'],
    },
    { task: { name: 'Restart spooler', task_type: 'checkfailure', assigned_check: 4 } },
  ])
  expect(template).toMatchObject({
    email_recipients: ['ops@example.org'],
    text_recipients: ['+41791234567'],
    action_type: 'script',
    action: idOf('Clean the cache'),
    action_args: ['now'],
    resolved_action_type: null,
    agent_always_email: true,
    agent_periodic_alert_minutes: 2880,
    check_email_alert_severity: ['warning', 'error'],
    check_text_alert_severity: ['error'],
    check_dashboard_alert_severity: [],
    check_script_actions: false,
    excluded_clients: [globex?.id],
    default_template: true,
  })
  expect(globex?.alert_template).toBe(template?.id)

  const again = await importFrom(cli, old.url, '--apply')
  expect(again.code).toBe(0)
  expect(again.lines.filter((line) => / \| (created|create|changed|change|failed) \|/.test(line))).toEqual([])
})

test('a list without end is refused', async () => {
  await using cli = await givenCli()
  const url = await serve((_, response) => {
    const chunk = Buffer.alloc(4 * 1024 * 1024, ' ')
    const write = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', write)
    write()
  })
  expect((await cli.run(...args(url))).stderr).toMatch(/Its response is too large\.\n$/)
})

test('a list or script that the key may not read is left out, the others move', async () => {
  await using cli = await givenCli()
  const answers = recordedAnswers()
  delete answers['/core/keystore/']
  delete answers['/scripts/21/']
  const { code, lines } = await importFrom(cli, (await startTactical(answers)).url, '--apply')
  expect(code).toBe(0)
  expect(lines).toContainEqual(
    expect.stringMatching(/^key \| all \| left out \| GET \/core\/keystore\/ of .+ \(404\)/),
  )
  expect(lines).toContainEqual(
    expect.stringMatching(/^script \| Clean the cache \| left out \| GET \/scripts\/21\/ of .+ \(404\)/),
  )
  expect(lines).toContainEqual(expect.stringMatching(/^client \| Globex \| created/))
})

test('a broken list ends the import before anything changes', async () => {
  await using cli = await givenCli()
  const answers = { ...recordedAnswers(), '/scripts/snippets/': { detail: 'no list' } }
  const { code, stdout, stderr } = await cli.run(...args((await startTactical(answers)).url, '--apply'))
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toBe('muster: GET /scripts/snippets/ of the old server: The response is no list.\n')
  expect((await cli.server.as(cli.ada).call(listClients, { query: {} })).body).toEqual([])
})

test('hundreds of scripts move within the limit of requests', async () => {
  await using cli = await givenCli()
  const answers = recordedAnswers()
  const path = '/scripts/?showCommunityScripts=true&showHiddenScripts=true'
  const many = Array.from({ length: 300 }, (_, index) =>
    script({ id: 1000 + index, name: `Script ${index}` }),
  )
  answers[path] = many
  for (const one of many)
    answers[`/scripts/${(one as unknown as { id: number }).id}/`] = { ...one, script_body: 'true' }
  const { code, stderr } = await importFrom(cli, (await startTactical(answers)).url, '--apply')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '308 created, 2 changed, 1 by hand.\n' })
})
