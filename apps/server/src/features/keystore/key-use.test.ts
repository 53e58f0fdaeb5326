import type { CommandInput } from '@muster/contract/agent/commands'
import { editUser } from '@muster/contract/api/accounts'
import { createAlertTemplate, editAlertTemplate } from '@muster/contract/api/alert-templates'
import { createPolicy, editPolicy } from '@muster/contract/api/policies'
import { createCheck, editCheck } from '@muster/contract/api/checks'
import { runScript, testScript } from '@muster/contract/api/runs'
import { createKey, deleteKey, editKey, listKeyStore } from '@muster/contract/api/keystore'
import { deleteRole } from '@muster/contract/api/roles'
import {
  createScript,
  editScript,
  getScript,
  listScriptVersions,
  restoreScriptVersion,
  testScriptOnServer,
} from '@muster/contract/api/scripts'
import { editCoreSettings } from '@muster/contract/api/settings'
import { createSnippet, deleteSnippet, editSnippet } from '@muster/contract/api/snippets'
import { createTask, editTask, TASK_DEFAULTS } from '@muster/contract/api/tasks'
import { PERMISSIONS } from '@muster/contract/permissions'
import { NO_CONTENT } from '@muster/contract/policies/policy-content'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { findAgents } from '../agents/queries.ts'
import { TestAgent } from '../agents/test-agent.ts'
import { scriptOrder } from '../runs/run-requests.ts'
import { findDefinitions } from '../checks/definitions.ts'
import { findTaskDefinitions } from '../tasks/definitions.ts'

const SECRET = 'correct horse battery'
const VARIABLE = '{{global.API}}'

/** Two roles with all permissions. The key is only for the one of ops. */
async function prepare() {
  const server = await createTestServer()
  const { given, ctx } = server
  const root = server.as(await given.user({ superuser: true, username: 'root' }))
  const user = async (username: string) => {
    const found = await given.user({ username, permissions: PERMISSIONS })
    return { ...server.as(found), id: found.id, roleId: found.roleId ?? 0 }
  }
  const ops = await user('ops')
  const eve = await user('eve')
  const agent = await given.agent({ hostname: 'web-01', connected: 1 })
  const script = await given.script({ name: 'Call', shell: 'shell' })
  const { body: key } = await root.call(createKey, {
    body: { name: 'API', value: SECRET, roles: [ops.roleId] },
  })
  const action = (...script_args: string[]) => {
    return { type: 'script' as const, script: script.id, name: '', script_args, env_vars: [], timeout: 30 }
  }
  const task = (...script_args: string[]) => ({
    ...TASK_DEFAULTS,
    name: 'Nightly',
    task_type: 'manual' as const,
    actions: [action(...script_args)],
  })
  const settings = (...script_args: string[]) => ({
    check_type: 'script' as const,
    script: script.id,
    script_args,
    env_vars: [],
    timeout: 30,
    info_return_codes: [],
    warning_return_codes: [],
    success_return_codes: [],
    metric_thresholds: [],
  })
  return {
    server,
    ctx,
    root,
    ops,
    eve,
    agent,
    script,
    key,
    task,
    settings,
    params: { agent_id: agent.agent_id },
    checkCall: async (id: number) =>
      (await findDefinitions(ctx.db, [id], ctx.secrets))[0]?.definition.settings,
    taskCall: async (id: number) =>
      (await findTaskDefinitions(ctx.db, [id], ctx.secrets))[0]?.definition.actions[0],
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const refusalOf = (username: string) => ({
  status: 403,
  error: { code: 'not_allowed', detail: `The role of ${username} may not use ${VARIABLE}.` },
})

test('a script runs with a key only for the roles of the key and for superusers', async () => {
  await using bench = await prepare()
  const { server, root, ops, eve, script, params } = bench
  await root.call(editCoreSettings, { body: { enable_server_scripts: true } })
  const run = { script: script.id, args: [VARIABLE], wait: false }
  const inVariables = { script: script.id, env_vars: [`KEY=${VARIABLE}`], wait: false }
  const code = { code: 'echo "$1" | rev', shell: 'shell' as const, args: [VARIABLE] }
  // Arguments stored in the library count as well.
  const { id: kept } = await server.given.script({ args: JSON.stringify([VARIABLE]) })
  const refused = refusalOf('eve')
  expect(await eve.call(runScript, { params, body: run })).toMatchObject(refused)
  expect(await eve.call(runScript, { params, body: inVariables })).toMatchObject(refused)
  expect(await eve.call(runScript, { params, body: { script: kept, wait: false } })).toMatchObject(refused)
  expect(await eve.call(testScript, { params, body: { ...code, wait: false } })).toMatchObject(refused)
  expect(await eve.call(testScriptOnServer, { body: code })).toMatchObject(refused)
  expect(await bench.ctx.db.selectFrom('agent_history').selectAll().execute()).toEqual([])
  for (const caller of [ops, root]) {
    expect((await caller.call(runScript, { params, body: run })).status).toBe(200)
    expect((await caller.call(testScript, { params, body: { ...code, wait: false } })).status).toBe(200)
  }
})

test('a key is refused when a task, check, policy or alert template with it is saved', async () => {
  await using bench = await prepare()
  const { ops, eve, params, settings, task } = bench
  const refused = refusalOf('eve')
  const content = { ...NO_CONTENT, checks: [{ settings: settings(VARIABLE) }] }
  const withTask = { ...NO_CONTENT, tasks: [{ task: task(VARIABLE) }] }
  const template = { name: 'Night', action_type: 'script' as const, action: bench.script.id }
  const saves = async (caller: Pick<typeof eve, 'call'>) => [
    await caller.call(createTask, { body: { agent: params.agent_id, ...task(VARIABLE) } }),
    await caller.call(createCheck, { body: { agent: params.agent_id, settings: settings(VARIABLE) } }),
    await caller.call(createPolicy, { body: { name: 'Checks', content } }),
    await caller.call(createPolicy, { body: { name: 'Tasks', content: withTask } }),
    await caller.call(createAlertTemplate, { body: { ...template, action_args: [VARIABLE] } }),
  ]
  for (const answer of await saves(eve)) expect(answer).toMatchObject(refused)
  const plain = {
    task: (await eve.call(createTask, { body: { agent: params.agent_id, ...task('1') } })).body,
    check: (await eve.call(createCheck, { body: { agent: params.agent_id, settings: settings('1') } })).body,
    policy: (await eve.call(createPolicy, { body: { name: 'Plain' } })).body,
    template: (await eve.call(createAlertTemplate, { body: { ...template, name: 'Plain' } })).body,
  }
  const changes = [
    await eve.call(editTask, { params: { id: plain.task.id }, body: { actions: task(VARIABLE).actions } }),
    await eve.call(editCheck, { params: { id: plain.check.id }, body: { settings: settings(VARIABLE) } }),
    await eve.call(editPolicy, { params: { id: plain.policy.id }, body: { content } }),
    await eve.call(editAlertTemplate, {
      params: { id: plain.template.id },
      body: { action_args: [VARIABLE] },
    }),
  ]
  for (const answer of changes) expect(answer).toMatchObject(refused)
  for (const answer of await saves(ops)) expect(answer.status).toBe(200)
})

type Bench = Awaited<ReturnType<typeof prepare>>
const USES: [what: string, use: (bench: Bench) => Promise<{ status: number }>, sentence: string][] = [
  [
    'a task',
    ({ ops, params, task }) => ops.call(createTask, { body: { agent: params.agent_id, ...task(VARIABLE) } }),
    'The task "Nightly" on web-01 runs it.',
  ],
  [
    'a check',
    ({ ops, params, settings }) =>
      ops.call(createCheck, { body: { agent: params.agent_id, settings: settings(VARIABLE) } }),
    'A check on web-01 runs it.',
  ],
  [
    'a check of a policy',
    ({ ops, settings }) => {
      const content = { ...NO_CONTENT, checks: [{ settings: settings(VARIABLE) }] }
      return ops.call(createPolicy, { body: { name: 'Base', content } })
    },
    'The policy "Base" runs it.',
  ],
  [
    'a task of a policy',
    ({ ops, task }) => {
      const content = { ...NO_CONTENT, tasks: [{ task: task(VARIABLE) }] }
      return ops.call(createPolicy, { body: { name: 'Base', content } })
    },
    'The policy "Base" runs it.',
  ],
  [
    'an alert template',
    ({ ops, script }) =>
      ops.call(createAlertTemplate, {
        body: {
          name: 'Night',
          resolved_action_type: 'script',
          resolved_action: script.id,
          resolved_action_env_vars: [`KEY=${VARIABLE}`],
        },
      }),
    'The alert template "Night" runs it.',
  ],
]

test.each(USES)(
  'the code that %s calls with a key is written only with the role for the key',
  async (_, use, sentence) => {
    await using bench = await prepare()
    const { ops, eve, script } = bench
    const params = { id: script.id }
    await ops.call(editScript, { params, body: { script_body: 'echo {{log}}' } })
    const { body: snippet } = await ops.call(createSnippet, {
      body: { name: 'log', shell: 'shell', code: 'logger' },
    })
    expect((await use(bench)).status).toBe(200)
    const [, first] = (await ops.call(listScriptVersions, { params })).body
    const restore = { params: { ...params, version_id: first?.id ?? 0 }, body: {} }
    const ofSnippet = { params: { id: snippet.id } }
    const reason = `${sentence} The role of eve may not use ${VARIABLE}.`
    const refused = { status: 403, error: { detail: `This script is in use. ${reason}` } }
    const change = { params, body: { script_body: 'echo "$1" | rev' } }
    expect(await eve.call(editScript, change)).toMatchObject(refused)
    expect(await eve.call(restoreScriptVersion, restore)).toMatchObject(refused)
    const bySnippet = `The script "Call", which includes this snippet, is in use. ${reason}`
    const refusedSnippet = { status: 403, error: { detail: bySnippet } }
    expect(await eve.call(editSnippet, { ...ofSnippet, body: { code: 'rev' } })).toMatchObject(refusedSnippet)
    expect(await eve.call(deleteSnippet, ofSnippet)).toMatchObject(refusedSnippet)
    expect((await eve.call(editScript, { params, body: { description: 'Calls' } })).status).toBe(200)
    expect((await ops.call(editSnippet, { ...ofSnippet, body: { code: 'cat' } })).status).toBe(200)
    expect((await ops.call(editScript, change)).status).toBe(200)
  },
)

test('the code of a script called with a key is written only with the role for the key', async () => {
  await using bench = await prepare()
  const { ops, eve } = bench
  const refused = refusalOf('eve')
  const own = { name: 'Own', shell: 'shell' as const, script_body: 'echo {{log}}' }
  expect(await eve.call(createScript, { body: { ...own, args: [VARIABLE] } })).toMatchObject(refused)
  const { id } = (await eve.call(createScript, { body: own })).body
  const params = { id }
  const withKey = { params, body: { env_vars: [`KEY=${VARIABLE}`] } }
  expect(await eve.call(editScript, withKey)).toMatchObject(refused)
  expect((await ops.call(editScript, withKey)).status).toBe(200)
  expect(await eve.call(editScript, { params, body: { script_body: 'env | rev' } })).toMatchObject(refused)
  const log = { name: 'log', shell: 'shell' as const, code: 'env | rev' }
  expect(await eve.call(createSnippet, { body: log })).toMatchObject(refused)
  expect((await ops.call(getScript, { params })).body.script_body).toBe(own.script_body)
  expect((await eve.call(editScript, { params, body: { env_vars: [] } })).status).toBe(200)
})

test('a task and a check read a key with the role of their author, each time', async () => {
  await using bench = await prepare()
  const { root, ops, eve, key, params, settings, task, checkCall, taskCall } = bench
  // The name is free: it is given to another key later.
  await root.call(deleteKey, { params: { id: key.id } })
  const body = (await eve.call(createTask, { body: { agent: params.agent_id, ...task(VARIABLE) } })).body
  const { body: check } = await eve.call(createCheck, {
    body: { agent: params.agent_id, settings: settings(VARIABLE) },
  })
  const { body: again } = await root.call(createKey, {
    body: { name: 'API', value: SECRET, roles: [ops.roleId] },
  })
  const refused = { args: [VARIABLE], problem: `The role of eve may not use ${VARIABLE}.` }
  expect(await taskCall(body.id)).toMatchObject(refused)
  expect(await checkCall(check.id)).toMatchObject(refused)
  // A harmless change by an authorized user does not make a script of another author use the key.
  await ops.call(editTask, { params: { id: body.id }, body: { name: 'Renamed' } })
  expect(await taskCall(body.id)).toMatchObject(refused)
  const filled = { args: [SECRET], secrets: [SECRET] }
  await ops.call(editTask, { params: { id: body.id }, body: { actions: task(VARIABLE, '2').actions } })
  expect(await taskCall(body.id)).toMatchObject({ args: [SECRET, '2'], secrets: [SECRET] })
  await root.call(editUser, { params: { id: eve.id }, body: { role: ops.roleId } })
  expect(await checkCall(check.id)).toMatchObject(filled)
  await root.call(editKey, { params: { id: again.id }, body: { roles: [] } })
  expect(await checkCall(check.id)).toMatchObject(refused)
  await root.call(editKey, { params: { id: again.id }, body: { roles: null } })
  expect(await checkCall(check.id)).toMatchObject(filled)
})

test('definitions are sent again when the role of an author changes', async () => {
  await using bench = await prepare()
  const { server, root, ops, eve, settings } = bench
  const { url } = await server.listen()
  const site = await server.given.site()
  const machine = await TestAgent.enrol(server, url, site.id)
  await machine.connect({ checksVersion: 0 })
  const { body: check } = await ops.call(createCheck, {
    body: { agent: machine.agentId, settings: settings(VARIABLE) },
  })
  let from = 0
  const received = async () => {
    for (;;) {
      const { payload, command } = await machine.nextCommand(from)
      from = machine.frames.findIndex((frame) => frame.type === 'command' && frame.command === command) + 1
      const { put } = payload.input as CommandInput<'set-checks'>
      const found = put.find(({ id }) => id === check.id)
      if (found !== undefined) return found.settings
    }
  }
  expect(await received()).toMatchObject({ args: [SECRET] })
  await root.call(editUser, { params: { id: ops.id }, body: { role: eve.roleId } })
  expect(await received()).toMatchObject({ problem: `The role of ops may not use ${VARIABLE}.` })
  machine.cut()
})

test('checks of a policy read a key with the role of the user who last changed or assigned it', async () => {
  await using bench = await prepare()
  const { server, ctx, root, ops, eve, agent, settings, checkCall } = bench
  const { body: policy } = await ops.call(createPolicy, {
    body: {
      name: 'Base',
      active: true,
      content: { ...NO_CONTENT, checks: [{ settings: settings(VARIABLE) }] },
      targets: [{ level: 'agent', id: agent.agent_id }],
    },
  })
  await server.app.policies.run()
  const { id } = await ctx.db.selectFrom('checks').select('id').executeTakeFirstOrThrow()
  expect(await checkCall(id)).toMatchObject({ args: [SECRET] })
  const params = { id: policy.id }
  const content = {
    ...NO_CONTENT,
    checks: [...policy.content.checks, { settings: settings('other') }],
  }
  expect(await eve.call(editPolicy, { params, body: { content } })).toMatchObject(refusalOf('eve'))
  expect((await eve.call(editPolicy, { params, body: { desc: 'x' } })).status).toBe(200)
  await server.app.policies.run()
  expect(await checkCall(id)).toMatchObject({ args: [SECRET] })
  await root.call(editUser, { params: { id: ops.id }, body: { is_active: false } })
  expect(await checkCall(id)).toMatchObject({
    problem: `ops is blocked and may not use ${VARIABLE}. Another user has to save this again.`,
  })
  await root.call(editUser, { params: { id: ops.id }, body: { is_active: true } })
  expect(await checkCall(id)).toMatchObject({ args: [SECRET] })
  // Deleted authors have no role.
  await root.call(editUser, { params: { id: ops.id }, body: { role: eve.roleId } })
  expect(await checkCall(id)).toMatchObject({ problem: `The role of ops may not use ${VARIABLE}.` })
})

test('an action of an alert template reads a key with the role of its author', async () => {
  await using bench = await prepare()
  const { ctx, agent, ops, eve, script } = bench
  const [machine] = await findAgents(ctx, [agent.agent_id])
  if (machine === undefined) throw new Error('the machine is there')
  const order = (userId: number | null) =>
    scriptOrder(
      ctx,
      machine,
      { username: 'server', source: '', userId, isSuperuser: false },
      {
        script: script.id,
        args: [VARIABLE],
        output: 'forget',
        wait: false,
        expires_in: 60,
      },
    )
  expect((await order(ops.id)).work.input).toMatchObject({ args: [SECRET] })
  await expect(order(eve.id)).rejects.toThrow(`The role of eve may not use ${VARIABLE}.`)
  await expect(order(null)).rejects.toThrow(`${VARIABLE} is restricted to some roles.`)
  const { body: template } = await ops.call(createAlertTemplate, {
    body: { name: 'Night', action_type: 'script', action: script.id, action_args: [VARIABLE] },
  })
  const authorOf = async () =>
    (await ctx.db.selectFrom('alert_templates').select('author_id').executeTakeFirstOrThrow()).author_id
  expect(await authorOf()).toBe(ops.id)
  await eve.call(editAlertTemplate, { params: { id: template.id }, body: { name: 'Evening' } })
  expect(await authorOf()).toBe(ops.id)
})

test('users cannot open a key to more roles than they may use themselves', async () => {
  await using bench = await prepare()
  const { root, ops, eve, key } = bench
  const params = { id: key.id }
  for (const roles of [null, [eve.roleId], [ops.roleId, eve.roleId]])
    expect(await eve.call(editKey, { params, body: { roles } })).toMatchObject({
      status: 403,
      error: {
        detail: `The role of eve may not use ${VARIABLE}. Only users with one of its roles can add more.`,
        fields: { roles: [`The role of eve may not use ${VARIABLE}.`] },
      },
    })
  // Users who may change the key store can change its name and value.
  expect((await eve.call(editKey, { params, body: { value: 'other' } })).body.roles).toEqual([ops.roleId])
  const shared = await ops.call(editKey, { params, body: { roles: [ops.roleId, eve.roleId] } })
  expect(shared.body.roles).toEqual([ops.roleId, eve.roleId])
  expect((await eve.call(editKey, { params, body: { roles: [eve.roleId] } })).status).toBe(200)
  expect((await ops.call(editKey, { params, body: { roles: [ops.roleId] } })).status).toBe(403)
  const log = await bench.ctx.db
    .selectFrom('audit_log')
    .select(['message', 'after_value'])
    .where('object_type', '=', 'keystore')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  expect(log.message).toBe('Changed the roles of the key "API"')
  expect(JSON.parse(log.after_value ?? '')).toEqual({ name: 'API', roles: [expect.any(String)] })
  const gone = await root.call(editKey, { params, body: { roles: [4711] } })
  expect([gone.status, gone.error.fields]).toEqual([400, { roles: ['One of these roles no longer exists.'] }])
})

test('a key whose last role is deleted is for superusers only', async () => {
  await using bench = await prepare()
  const { root, ops, eve, key, script, params } = bench
  await root.call(editUser, { params: { id: ops.id }, body: { role: eve.roleId } })
  expect((await root.call(deleteRole, { params: { id: ops.roleId } })).status).toBe(200)
  expect((await root.call(listKeyStore, {})).body).toMatchObject([{ id: key.id, roles: [] }])
  const body = { script: script.id, args: [VARIABLE], wait: false }
  expect((await eve.call(runScript, { params, body })).status).toBe(403)
  expect((await root.call(runScript, { params, body })).status).toBe(200)
})
