import { getAgent } from '@muster/contract/api/agents'
import {
  deletePolicy,
  editPolicy,
  getPolicy,
  listPolicyVersions,
  revertPolicy,
} from '@muster/contract/api/policies'
import { createCustomField, deleteCustomField } from '@muster/contract/api/custom-fields'
import {
  createTask,
  deleteTask,
  editTask,
  getTask,
  getTaskRun,
  listTaskRuns,
  listTasks,
  runTask,
  type Task,
} from '@muster/contract/api/tasks'
import { expect, test } from 'vitest'
import { storeTaskReports } from '../tasks/store-task-reports.ts'
import { checkOf, contentOf, CPU, documentOf, PING, prepareFleet, taskOf } from './test-policies.ts'

type Fleet = Awaited<ReturnType<typeof prepareFleet>>

const NIGHTLY = { name: 'Nightly', task_type: 'daily', run_time_date: '2026-01-01T02:00' } as const
const toSite = ({ site }: Fleet) => [{ level: 'site' as const, id: site.id, monitoring_type: null }]
const withTasks = (tasks: ReturnType<typeof taskOf>[]) => ({ ...contentOf([]), tasks })

/** The machine ran the task, which printed this. */
function reportOf(task: Task | undefined, stdout: string) {
  const at = '2026-01-01T01:00:00.000Z'
  const action = { name: 'look', outcome: 'exited' as const, reason: null, retcode: 0, stderr: '' }
  return {
    kind: 'task-result' as const,
    task_id: task?.id ?? 0,
    run_id: 'run-00001',
    trigger: 'schedule' as const,
    planned_at: at,
    started_at: at,
    ended_at: at,
    reason: null,
    actions: [{ ...action, stdout, execution_time: 1 }],
  }
}

async function tasksVersion({ server, pc }: Fleet): Promise<number> {
  const row = await server.ctx.db
    .selectFrom('agents')
    .select('tasks_version')
    .where('agent_id', '=', pc.agent_id)
    .executeTakeFirstOrThrow()
  return row.tasks_version
}

test('spec, policies: machines get their own copies of the tasks of a policy, and lose them with it', async () => {
  await using fleet = await prepareFleet()
  const { add, tasks, srv, effective, settle, root } = fleet
  const policy = await add({
    name: 'Base',
    content: withTasks([taskOf(NIGHTLY), taskOf()]),
    targets: toSite(fleet),
  })
  const [nightly, tidy] = await tasks()
  expect(nightly).toMatchObject({
    ...NIGHTLY,
    policy: policy.id,
    policy_name: 'Base',
    overridden_by_policy: false,
    task_result: { status: 'pending', sync_status: 'initial' },
  })
  expect((await tasks(srv)).map(({ name }) => name)).toEqual(['Nightly', 'Tidy up'])
  expect(await tasksVersion(fleet)).toBe(1)
  expect((await effective()).items).toMatchObject([
    { kind: 'tasks', what: expect.stringContaining('Nightly: '), task_id: nightly?.id, check_id: null },
    { kind: 'tasks', task_id: tidy?.id, source: { own: false, policy: policy.id } },
  ])
  await root.call(deletePolicy, { params: { id: policy.id }, query: {} })
  await settle()
  expect(await tasks()).toEqual([])
  expect(await tasksVersion(fleet)).toBe(2)
})

test('a task of a policy is changed only in the policy', async () => {
  await using fleet = await prepareFleet()
  const { add, tasks, root } = fleet
  await add({ name: 'Base', content: withTasks([taskOf()]), targets: toSite(fleet) })
  const [task] = await tasks()
  const params = { id: task?.id ?? 0 }
  const answers = [
    await root.call(editTask, { params, body: { enabled: false } }),
    await root.call(deleteTask, { params }),
  ]
  for (const { error } of answers) {
    expect(error).toMatchObject({
      code: 'conflict',
      detail: 'This task comes from the policy "Base". Change it there.',
    })
  }
})

test('every task call accepts the id of a policy task, or names the right call', async () => {
  await using fleet = await prepareFleet()
  const { add, tasks, root, server, pc, srv } = fleet
  const policy = await add({ name: 'Base', content: withTasks([taskOf(NIGHTLY)]), targets: toSite(fleet) })
  const [task] = await tasks()
  const params = { id: task?.id ?? 0 }
  expect((await root.call(getTask, { params })).body).toEqual(task)
  expect((await root.call(listTasks, { query: {} })).body).toMatchObject([
    { id: task?.id, agent_id: pc.agent_id, policy: policy.id },
    { agent_id: srv.agent_id, policy: policy.id },
  ])
  const run = (body: { agent_id?: string } = {}) => root.call(runTask, { params, body })
  expect((await run()).error).toMatchObject({
    code: 'agent_offline',
    detail: 'PC-12 is offline. Try again when it is connected.',
  })
  expect((await run({ agent_id: pc.agent_id })).error.code).toBe('agent_offline')
  expect((await run({ agent_id: srv.agent_id })).error).toMatchObject({
    code: 'invalid',
    detail: expect.stringContaining('This is the task of PC-12.'),
  })
  await server.ctx.transaction((tx, emit) =>
    storeTaskReports({ ctx: server.ctx, tx, emit }, [{ agentId: pc.agent_id, report: reportOf(task, '12') }]),
  )
  const runs = await root.call(listTaskRuns, { params, query: {} })
  expect(runs.body).toMatchObject([{ state: 'ended', status: 'passing' }])
  const { body } = await root.call(getTaskRun, { params: { ...params, run: runs.body[0]?.id ?? 0 } })
  expect(body.actions).toMatchObject([{ stdout: '12' }])
  expect((await tasks())[0]?.task_result).toMatchObject({ status: 'passing', run_status: 'completed' })
  expect((await tasks(srv))[0]?.task_result).toMatchObject({ status: 'pending', last_run: null })
})

test('an own task of the same name overrides a policy, and an enforced policy overrides it', async () => {
  await using fleet = await prepareFleet()
  const { add, edit, tasks, pc, root, effective } = fleet
  const { task: fields } = taskOf({ name: 'tidy UP' })
  const { body: own } = await root.call(createTask, { body: { agent: pc.agent_id, ...fields } })
  const before = await tasksVersion(fleet)
  const policy = await add({ name: 'Base', content: withTasks([taskOf()]), targets: toSite(fleet) })
  expect((await tasks()).map(({ id }) => id)).toEqual([own.id])
  expect(await tasksVersion(fleet)).toBe(before)
  await edit(policy.id, { enforced: true })
  const [rests, theirs] = await tasks()
  expect(rests).toMatchObject({ id: own.id, overridden_by_policy: true })
  expect(theirs).toMatchObject({ policy: policy.id, overridden_by_policy: false })
  expect((await effective()).items).toMatchObject([
    { task_id: theirs?.id, overrode: [{ task_id: own.id, lost: 'enforced', source: { own: true } }] },
  ])
  const { error } = await root.call(runTask, { params: { id: own.id } })
  expect(error).toMatchObject({ code: 'conflict', detail: expect.stringContaining('overridden') })
  await edit(policy.id, { active: false })
  expect(await tasks()).toMatchObject([{ id: own.id, overridden_by_policy: false, task_result: {} }])
})

test('a machine keeps its row when a task changes, and only machines with a difference are notified', async () => {
  await using fleet = await prepareFleet()
  const { add, edit, plan, tasks, root, settle, srv } = fleet
  const policy = await add({ name: 'Base', content: withTasks([taskOf(NIGHTLY)]), targets: toSite(fleet) })
  const [first] = await tasks()
  const { id } = policy.content.tasks[0] ?? {}
  const content = withTasks([taskOf({ ...NIGHTLY, run_time_date: '2026-01-01T03:30' }, id)])
  expect(await plan(policy.id, { ...documentOf(policy), content })).toMatchObject({
    agents_count: 2,
    lines: [{ kind: 'tasks', change: 'changed', agents_count: 2 }],
  })
  await edit(policy.id, { content, excluded_agents: [srv.agent_id] })
  expect(await tasks()).toMatchObject([{ id: first?.id, run_time_date: '2026-01-01T03:30' }])
  expect(await tasks(srv)).toEqual([])
  const version = await tasksVersion(fleet)
  await edit(policy.id, { desc: 'nothing for machines' })
  expect(await tasksVersion(fleet)).toBe(version)
  const versions = await root.call(listPolicyVersions, { params: { id: policy.id } })
  expect(versions.body).toHaveLength(3)
  await root.call(revertPolicy, { params: { id: policy.id }, body: { version: 1 } })
  await settle()
  expect(await tasks()).toMatchObject([{ id: first?.id, run_time_date: '2026-01-01T02:00' }])
})

test('a task starts on failure of its machine’s copy of the policy check', async () => {
  await using fleet = await prepareFleet()
  const { add, edit, addOwn, checks, tasks } = fleet
  const policy = await add({ name: 'Base', content: contentOf([checkOf(CPU), checkOf(PING)]) })
  const ping = policy.content.checks[1]?.id ?? 0
  const repair = taskOf({ task_type: 'checkfailure', assigned_check: ping })
  const edited = { ...policy.content, tasks: [repair] }
  await edit(policy.id, { content: edited, targets: toSite(fleet) })
  const ofPolicy = (await checks()).find(({ settings }) => settings.check_type === 'ping')
  expect(await tasks()).toMatchObject([{ assigned_check: ofPolicy?.id, check_name: 'Ping Router' }])
  // A check of the machine's own replaces the policy's, and starts the task.
  const { body: own } = await addOwn(PING)
  await fleet.settle()
  expect(await tasks()).toMatchObject([{ assigned_check: own.id }])
})

test('machines of other platforms do not get a task, and the page of the machine says so', async () => {
  await using fleet = await prepareFleet()
  const { add, tasks, effective } = fleet
  const windows = { ...taskOf(), task_supported_platforms: ['windows' as const] }
  await add({ name: 'Base', content: withTasks([windows]), targets: toSite(fleet) })
  expect(await tasks()).toEqual([])
  expect((await effective()).unfit).toMatchObject([{ what: expect.stringContaining('Tidy up') }])
})

test('invalid documents and those beyond the rights of the caller are refused', async () => {
  await using fleet = await prepareFleet()
  const { root, server } = fleet
  const { createPolicy } = await import('@muster/contract/api/policies')
  const refused = async (tasks: ReturnType<typeof taskOf>[], as = root) =>
    (await as.call(createPolicy, { body: { name: 'Bad', content: { tasks } } })).error
  expect(await refused([taskOf(), taskOf({ name: 'TIDY up' })])).toMatchObject({ code: 'invalid' })
  expect(await refused([taskOf({ task_type: 'daily' })])).toMatchObject({
    fields: { 'content.tasks.0.task.run_time_date': ['Tidy up: Set the first run.'] },
  })
  expect(await refused([taskOf({ task_type: 'checkfailure', assigned_check: 99 })])).toMatchObject({
    fields: { 'content.tasks.0.task.assigned_check': [expect.stringContaining('choose the check')] },
  })
  const gone = { type: 'script' as const, script: 99, name: '', script_args: [], env_vars: [], timeout: 30 }
  expect(await refused([taskOf({ actions: [gone] })])).toMatchObject({ code: 'invalid' })
  const helper = server.as(
    await server.given.user({
      permissions: ['can_list_automation_policies', 'can_manage_automation_policies'],
    }),
  )
  expect(await refused([taskOf()], helper)).toMatchObject({ code: 'not_allowed' })
})

test('a policy task stores its result in a custom field, on each machine its own', async () => {
  await using fleet = await prepareFleet()
  const { add, tasks, root, pc, srv, server, settle } = fleet
  const { body: field } = await root.call(createCustomField, {
    body: { model: 'agent', type: 'number', name: 'Found' },
  })
  const policy = await add({
    name: 'Base',
    content: withTasks([taskOf({ custom_field: field.id })]),
    targets: toSite(fleet),
  })
  for (const [agent, stdout] of [
    [pc, '12'],
    [srv, 'many'],
  ] as const) {
    const [task] = await tasks(agent)
    const report = reportOf(task, stdout)
    await server.ctx.transaction((tx, emit) =>
      storeTaskReports({ ctx: server.ctx, tx, emit }, [{ agentId: agent.agent_id, report }]),
    )
  }
  const valuesOf = async ({ agent_id }: typeof pc) =>
    (await root.call(getAgent, { params: { agent_id } })).body.custom_fields.map(({ value }) => value)
  expect([await valuesOf(pc), await valuesOf(srv)]).toEqual([['12'], []])
  expect((await tasks(srv))[0]?.task_result.more_info).toContain('Found must')
  const [before] = await tasks()
  await root.call(deleteCustomField, { params: { id: field.id } })
  await settle()
  expect(await tasks()).toMatchObject([{ id: before?.id, modified: before?.modified, custom_field: null }])
  // The policy names a deleted field: it may stay, like a deleted script.
  expect((await root.call(editPolicy, { params: { id: policy.id }, body: { desc: 'x' } })).status).toBe(200)
  const { error } = await root.call(editPolicy, {
    params: { id: policy.id },
    body: { content: withTasks([taskOf({ custom_field: 4711 }, policy.content.tasks[0]?.id)]) },
  })
  expect(Object.keys(error.fields ?? {})).toEqual(['content.tasks.0.task.custom_field'])
})

test('a policy saved before tasks had custom fields reads as having none', async () => {
  await using fleet = await prepareFleet()
  const { add, root, server } = fleet
  const policy = await add({ name: 'Base', content: withTasks([taskOf()]) })
  const { custom_field: _, collector_all_output: __, ...task } = policy.content.tasks[0]?.task ?? {}
  const content = JSON.stringify({ ...policy.content, tasks: [{ ...policy.content.tasks[0], task }] })
  await server.ctx.db.updateTable('policies').set({ content, version: 7, modified: 'm' }).execute()
  const params = { id: policy.id }
  expect((await root.call(getPolicy, { params })).body.content).toEqual(policy.content)
})
