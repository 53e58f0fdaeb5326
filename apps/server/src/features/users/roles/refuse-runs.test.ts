import { editAgent } from '@muster/contract/api/agents'
import {
  createPolicy,
  editPolicy,
  getPolicy,
  planAssignedPolicies,
  type PolicyDocument,
  revertPolicy,
  setAssignedPolicies,
} from '@muster/contract/api/policies'
import { type CheckSettings, createCheck, editCheck } from '@muster/contract/api/checks'
import { editClient, editSite } from '@muster/contract/api/clients'
import { editCoreSettings } from '@muster/contract/api/settings'
import { createTask, editTask, type TaskAction, TASK_DEFAULTS } from '@muster/contract/api/tasks'
import type { Permission } from '@muster/contract/permissions'
import { NO_CONTENT, type PolicyCheck, type PolicyTask } from '@muster/contract/policies/policy-content'
import { expect, test } from 'vitest'
import { checkOf, contentOf, CPU, prepareFleet, taskOf } from '../../policies/test-policies.ts'

const COMMAND = { type: 'cmd', shell: 'sh', command: 'id', custom_shell: null, timeout: 30 } as const

async function prepare() {
  const fleet = await prepareFleet()
  const { given } = fleet.server
  const { id: script } = await given.script({ name: 'Clean' })
  const scriptAction = (...script_args: string[]) => {
    return { type: 'script' as const, script, name: '', script_args, env_vars: [], timeout: 30 }
  }
  const scriptCheck = (...script_args: string[]) => ({
    check_type: 'script' as const,
    script,
    script_args,
    env_vars: [],
    timeout: 30,
    info_return_codes: [],
    warning_return_codes: [],
    success_return_codes: [],
    metric_thresholds: [],
  })
  return {
    ...fleet,
    scriptAction,
    scriptCheck,
    as: async (...permissions: Permission[]) => fleet.server.as(await given.user({ permissions })),
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
}

const refusal = (detail: string) => ({ status: 403, error: { code: 'not_allowed', detail } })

test('a task with a command or a script requires the right to run it directly', async () => {
  await using bench = await prepare()
  const { pc, root, scriptAction, as } = bench
  const cases: [TaskAction, TaskAction, Permission, string][] = [
    [COMMAND, { ...COMMAND, command: 'reboot' }, 'can_send_cmd', 'a command'],
    [scriptAction(), scriptAction('--all'), 'can_run_scripts', 'a script'],
  ]
  for (const [action, other, needed, what] of cases) {
    const refused = refusal(`The task "Tidy up" runs ${what}. Your role needs ${needed} to configure it.`)
    const author = await as('can_list_autotasks', 'can_manage_autotasks')
    const allowed = await as('can_list_autotasks', 'can_manage_autotasks', needed)
    const body = {
      ...TASK_DEFAULTS,
      agent: pc.agent_id,
      name: 'Tidy up',
      task_type: 'manual' as const,
      actions: [action],
    }
    expect(await author.call(createTask, { body })).toMatchObject(refused)
    const { body: task } = await root.call(createTask, { body })
    const change = { params: { id: task.id }, body: { actions: [other] } }
    expect(await author.call(editTask, change)).toMatchObject(refused)
    expect(
      await author.call(editTask, { params: { id: task.id }, body: { actions: [action, other] } }),
    ).toMatchObject(refused)
    // Existing actions may stay.
    const stays = { params: { id: task.id }, body: { alert_severity: 'error' as const, actions: [action] } }
    expect((await author.call(editTask, stays)).status).toBe(200)
    expect((await allowed.call(editTask, change)).status).toBe(200)
    expect((await allowed.call(createTask, { body: { ...body, name: 'Another' } })).status).toBe(200)
  }
})

test('a script check requires the right to run scripts', async () => {
  await using bench = await prepare()
  const { pc, root, scriptCheck, as } = bench
  const refused = refusal('This check runs a script. Your role needs can_run_scripts to configure it.')
  const author = await as('can_list_checks', 'can_manage_checks')
  const allowed = await as('can_list_checks', 'can_manage_checks', 'can_run_scripts')
  const add = (settings: CheckSettings) => ({ body: { agent: pc.agent_id, settings } })
  expect(await author.call(createCheck, add(scriptCheck()))).toMatchObject(refused)
  expect((await author.call(createCheck, add(CPU))).status).toBe(200)
  const { body: check } = await root.call(createCheck, add(scriptCheck()))
  const change = (settings: CheckSettings) => ({ params: { id: check.id }, body: { settings } })
  expect(await author.call(editCheck, change(scriptCheck('--all')))).toMatchObject(refused)
  expect((await author.call(editCheck, change({ ...scriptCheck(), timeout: 31 }))).status).toBe(200)
  expect((await allowed.call(editCheck, change(scriptCheck('--all')))).status).toBe(200)
})

const POLICIES: Permission[] = ['can_list_automation_policies', 'can_manage_automation_policies']

interface Part {
  what: string
  content: (bench: Awaited<ReturnType<typeof prepare>>) => PolicyDocument['content']
  permissions: Permission[]
}
const withTask = (task: PolicyTask) => ({ ...NO_CONTENT, tasks: [task] })
const withCheck = (check: PolicyCheck) => contentOf([check])
const PARTS: Part[] = [
  {
    what: 'a check',
    content: () => withCheck(checkOf(CPU)),
    permissions: ['can_manage_checks'],
  },
  {
    what: 'a script check',
    content: ({ scriptCheck }) => withCheck(checkOf(scriptCheck())),
    permissions: ['can_manage_checks', 'can_run_scripts'],
  },
  {
    what: 'a task with a command',
    content: () => withTask(taskOf({ actions: [COMMAND] })),
    permissions: ['can_manage_autotasks', 'can_send_cmd'],
  },
  {
    what: 'a task with a script',
    content: ({ scriptAction }) => withTask(taskOf({ actions: [scriptAction()] })),
    permissions: ['can_manage_autotasks', 'can_run_scripts'],
  },
]

test.each(PARTS)(
  'a policy with $what requires each of $permissions to be added, copied, assigned, switched on and restored',
  async ({ content, permissions }) => {
    await using bench = await prepare()
    const { root, site, client, as } = bench
    const targets: PolicyDocument['targets'] = [{ level: 'site', id: site.id, monitoring_type: 'server' }]
    const { body: other } = await root.call(createPolicy, { body: { name: 'Other' } })
    const params = { id: other.id }
    await root.call(editPolicy, { params, body: { content: content(bench), targets, active: true } })
    await root.call(editPolicy, { params, body: { excluded_sites: [site.id] } })
    const stored = () => root.call(getPolicy, { params })
    const targetParams = { level: 'client' as const, id: `${client.id}` }
    const policies = [{ id: other.id, monitoring_type: null }]
    const attempts = {
      added: { name: 'New', content: content(bench) },
      copied: { name: 'Copy', copyId: other.id },
    }
    const changes: Partial<PolicyDocument>[] = [
      { targets: [{ level: 'site', id: site.id, monitoring_type: null }] },
      { targets: [...targets, { level: 'client', id: client.id, monitoring_type: null }] },
      { excluded_sites: [] },
      { enforced: true },
    ]
    for (const missing of permissions) {
      const caller = await as(...POLICIES, ...permissions.filter((permission) => permission !== missing))
      const refused = {
        status: 403,
        error: { code: 'not_allowed', detail: expect.stringContaining(`needs ${missing}`) },
      }
      const before = (await stored()).body
      for (const body of Object.values(attempts))
        expect(await caller.call(createPolicy, { body })).toMatchObject(refused)
      for (const body of changes)
        expect(await caller.call(editPolicy, { params, body })).toMatchObject(refused)
      const request = { params: targetParams, body: { policies } }
      expect(await caller.call(setAssignedPolicies, request)).toMatchObject(refused)
      expect(await caller.call(planAssignedPolicies, request)).toMatchObject(refused)
      expect((await stored()).body).toEqual(before)
      await root.call(editPolicy, { params, body: { active: false } })
      expect(await caller.call(editPolicy, { params, body: { active: true } })).toMatchObject(refused)
      await root.call(editPolicy, { params, body: { content: NO_CONTENT, active: true } })
      // The version before it was first switched off.
      expect(await caller.call(revertPolicy, { params, body: { version: 2 } })).toMatchObject(refused)
      await root.call(revertPolicy, { params, body: { version: 3 } })
    }
    const lesser = await as(...POLICIES)
    // Fewer machines and other texts start no run.
    const harmless: Partial<PolicyDocument>[] = [{ desc: 'changed' }, { active: false }]
    for (const body of harmless) expect((await lesser.call(editPolicy, { params, body })).status).toBe(200)
    const caller = await as(...POLICIES, ...permissions)
    for (const body of Object.values(attempts))
      expect((await caller.call(createPolicy, { body })).status).toBe(200)
    for (const body of [{ active: true }, ...changes])
      expect((await caller.call(editPolicy, { params, body })).status).toBe(200)
    expect((await caller.call(revertPolicy, { params, body: { version: 2 } })).status).toBe(200)
    expect(
      (await caller.call(setAssignedPolicies, { params: targetParams, body: { policies } })).status,
    ).toBe(200)
  },
)

test('a policy task for another platform requires the right to run its content', async () => {
  await using bench = await prepare()
  const { root, as } = bench
  const { body: policy } = await root.call(createPolicy, {
    body: {
      name: 'Linux only',
      content: withTask({ ...taskOf({ actions: [COMMAND] }), task_supported_platforms: ['linux'] }),
    },
  })
  const [task] = policy.content.tasks
  const caller = await as(...POLICIES, 'can_manage_autotasks')
  const change = (task_supported_platforms: PolicyTask['task_supported_platforms'], command = 'id') =>
    caller.call(editPolicy, {
      params: { id: policy.id },
      body: {
        content: {
          ...NO_CONTENT,
          tasks: [
            {
              ...taskOf({ actions: [{ ...COMMAND, command }] }, task?.id),
              task_supported_platforms,
            },
          ],
        },
      },
    })
  const refused = refusal('The task "Tidy up" runs a command. Your role needs can_send_cmd to configure it.')
  expect(await change(['linux', 'windows'])).toMatchObject(refused)
  expect(await change(['linux'], 'reboot')).toMatchObject(refused)
  expect((await change(['linux'])).status).toBe(200)
})

test('a check or task added to a policy requires the right to run its content', async () => {
  await using bench = await prepare()
  const { root, scriptAction, scriptCheck, as } = bench
  const policy = (await root.call(createPolicy, { body: { name: 'Base' } })).body.id
  const task = (action: TaskAction) => ({
    body: { ...TASK_DEFAULTS, policy, name: 'Tidy up', task_type: 'manual' as const, actions: [action] },
  })
  const manage = [...POLICIES, 'can_manage_autotasks', 'can_manage_checks'] as const
  const author = await as(...manage)
  const needs = (permission: Permission) => refusal(expect.stringContaining(`needs ${permission}`) as string)
  expect(await author.call(createTask, task(COMMAND))).toMatchObject(needs('can_send_cmd'))
  expect(await author.call(createTask, task(scriptAction()))).toMatchObject(needs('can_run_scripts'))
  const check = { body: { policy, settings: scriptCheck() } }
  expect(await author.call(createCheck, check)).toMatchObject(needs('can_run_scripts'))
  expect((await root.call(getPolicy, { params: { id: policy } })).body.content).toEqual(NO_CONTENT)
  const allowed = await as(...manage, 'can_send_cmd', 'can_run_scripts')
  expect((await allowed.call(createTask, task(COMMAND))).status).toBe(200)
  expect((await allowed.call(createCheck, check)).status).toBe(200)
})

test('assigning a policy with other fields requires the right to run its content', async () => {
  await using bench = await prepare()
  const { root, pc, site, client, as } = bench
  const content = withTask(taskOf({ actions: [COMMAND] }))
  const { body: policy } = await root.call(createPolicy, { body: { name: 'Base', active: true, content } })
  const manage = [
    ...POLICIES,
    'can_manage_autotasks',
    'can_edit_agent',
    'can_manage_clients',
    'can_manage_sites',
    'can_edit_core_settings',
  ] as const
  const give = async (caller: Pick<typeof root, 'call'>) => [
    await caller.call(editAgent, { params: { agent_id: pc.agent_id }, body: { policy: policy.id } }),
    await caller.call(editSite, {
      params: { id: site.id },
      body: { site: { workstation_policy: policy.id } },
    }),
    await caller.call(editClient, {
      params: { id: client.id },
      body: { client: { server_policy: policy.id } },
    }),
    await caller.call(editCoreSettings, { body: { server_policy: policy.id } }),
  ]
  const refused = refusal('The task "Tidy up" runs a command. Your role needs can_send_cmd to configure it.')
  for (const answer of await give(await as(...manage))) expect(answer).toMatchObject(refused)
  const params = { id: policy.id }
  expect((await root.call(getPolicy, { params })).body.targets).toEqual([])
  for (const answer of await give(await as(...manage, 'can_send_cmd'))) expect(answer.status).toBe(200)
})
