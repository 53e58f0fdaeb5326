import {
  createTask,
  deleteTask,
  editTask,
  getTask,
  listAgentTasks,
  runTask,
  type Task,
} from '@muster/contract/api/tasks'
import { expect, test } from 'vitest'
import type { TestAnswer } from '../../testing/test-client.ts'
import { createTestServer } from '../../testing/test-server.ts'

const COMMAND = { type: 'cmd', shell: 'sh', command: 'true' } as const
const DAILY = { task_type: 'daily', run_time_date: '2026-03-01T02:00' } as const

async function prepare() {
  const server = await createTestServer()
  server.clock.freeze('2026-03-01T12:00:00Z')
  const agent = await server.given.agent()
  const facts = JSON.stringify({ time_zone: 'Europe/Zurich' })
  await server.ctx.db.insertInto('agent_facts').values({ agent: agent.id, facts }).execute()
  const root = server.as(await server.given.user({ superuser: true, username: 'ada' }))
  type Body = Parameters<typeof root.call<typeof createTask>>[1]['body']
  const add = (more: Partial<Body> = {}) =>
    // Belongs to a machine, not to a policy.
    root.call(createTask, {
      body: { agent: agent.agent_id, name: 'Nightly', actions: [COMMAND], ...DAILY, ...more },
    }) as Promise<TestAnswer<Task>>
  return { server, agent, root, add, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

test('a task is added with default settings, listed, changed in parts and deleted', async () => {
  await using prepared = await prepare()
  const { server, agent, root, add } = prepared
  const script = await server.given.script({ name: 'Clean up' })
  const { body: task } = await add({ actions: [{ type: 'script', script: script.id }, COMMAND] })
  expect(task).toMatchObject({
    name: 'Nightly',
    enabled: true,
    continue_on_error: true,
    task_instance_policy: 1,
    run_asap_after_missed: true,
    schedule: 'Every day at 02:00',
    actions: [
      { name: 'Clean up', timeout: 90, script_args: [] },
      { command: 'true', timeout: 30 },
    ],
    task_result: { status: 'pending', sync_status: 'initial', last_run: null },
  })
  const { body: off } = await root.call(editTask, { params: { id: task.id }, body: { enabled: false } })
  expect(off).toEqual({
    ...task,
    enabled: false,
    modified: off.modified,
    task_result: { ...task.task_result, sync_status: 'notsynced' },
  })
  const params = { agent_id: agent.agent_id }
  expect((await root.call(listAgentTasks, { params, query: {} })).body).toEqual([off])
  await root.call(deleteTask, { params: { id: task.id } })
  expect((await root.call(listAgentTasks, { params, query: {} })).body).toEqual([])
  const log = await server.ctx.db.selectFrom('audit_log').select('message').execute()
  expect(log.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      `Added the task "Nightly" to "${agent.hostname}"`,
      `Switched off the task "Nightly" of "${agent.hostname}"`,
      `Deleted the task "Nightly" of "${agent.hostname}"`,
    ]),
  )
})

test('a task of an API client of the reference, with bits and a Z after the time', async () => {
  await using prepared = await prepare()
  const { body: task } = await prepared.add({
    task_type: 'monthly',
    run_time_date: '2026-03-01T04:30:00Z',
    monthly_months_of_year: 4095,
    monthly_days_of_month: 0x80000000 + 1,
  })
  expect(task).toMatchObject({
    run_time_date: '2026-03-01T04:30',
    monthly_days_of_month: 0x80000001,
    schedule: 'On the 1st and the last day of every month at 04:30',
  })
})

test.each([
  [{ task_type: 'weekly' }, 'run_time_bit_weekdays', 'Choose at least one day of the week.'],
  [{ task_type: 'cron', cron_expression: 'now and then' }, 'cron_expression', undefined],
  [{ run_time_date: '2026-02-31T02:00' }, 'run_time_date', 'There is no such date.'],
  // 12:00 UTC is 13:00 in Zurich.
  [{ task_type: 'runonce', run_time_date: '2026-03-01T12:30' }, 'run_time_date', undefined],
  [{ task_type: 'checkfailure' }, 'assigned_check', 'Choose the check that starts the task on failure.'],
  [{ task_type: 'checkfailure', assigned_check: 4711 }, 'assigned_check', undefined],
  [{ actions: [] }, 'actions', 'At least one action is needed.'],
  [{ actions: [{ type: 'script', script: 4711 }] }, 'actions.0.script', undefined],
  [{ actions: [{ ...COMMAND, shell: 'custom' }] }, 'actions.0.custom_shell', 'Give the path of the shell.'],
  [{ random_task_delay: '1w' }, 'random_task_delay', undefined],
  [{ name: '   ' }, 'name', 'A name is needed.'],
] as [object, string, string | undefined][])('%j is refused at %s', async (fields, field, sentence) => {
  await using prepared = await prepare()
  const { status, error } = await prepared.add(fields)
  expect(status).toBe(400)
  expect(Object.keys(error.fields ?? {})).toEqual([field])
  if (sentence !== undefined) expect(error.fields?.[field]).toEqual([sentence])
})

test('the time of a task that runs once is in the future of its machine only', async () => {
  await using prepared = await prepare()
  const { status } = await prepared.add({ task_type: 'runonce', run_time_date: '2026-03-01T13:30' })
  expect(status).toBe(200)
})

test('a save over a concurrent change is refused', async () => {
  await using prepared = await prepare()
  const { server, root, add } = prepared
  const { body: task } = await add()
  const bob = server.as(await server.given.user({ superuser: true, username: 'bob' }))
  await bob.call(editTask, { params: { id: task.id }, body: { name: 'Hourly', modified: task.modified } })
  const late = await root.call(editTask, {
    params: { id: task.id },
    body: { name: 'Daily', modified: task.modified },
  })
  expect([late.status, late.error.code]).toEqual([409, 'changed_meanwhile'])
  expect(late.error.detail).toContain('was changed by bob')
})

test('moving the time of a task does not make up for earlier times', async () => {
  await using prepared = await prepare()
  const { server, root, add } = prepared
  const { body: task } = await add()
  const from = () => server.ctx.db.selectFrom('tasks').select('counts_from').executeTakeFirstOrThrow()
  const before = await from()
  server.clock.freeze('2026-03-01T13:00:00Z')
  await root.call(editTask, {
    params: { id: task.id },
    body: { name: 'Other', run_time_date: task.run_time_date },
  })
  expect(await from()).toEqual(before)
  await root.call(editTask, { params: { id: task.id }, body: { run_time_date: '2026-03-01T11:00' } })
  expect(await from()).toEqual({ counts_from: '2026-03-01T13:00:00.000Z' })
})

test('a task without its script does not run, and says so', async () => {
  await using prepared = await prepare()
  const { server, root, add } = prepared
  const script = await server.given.script()
  const { body: task } = await add({ actions: [{ type: 'script', script: script.id }] })
  await root.send({ method: 'DELETE', url: `/scripts/${script.id}/` })
  const params = { id: task.id }
  expect((await root.call(getTask, { params })).body.actions).toMatchObject([{ script: script.id, name: '' }])
  const run = await root.call(runTask, { params })
  expect([run.status, run.error.detail]).toEqual([
    409,
    '"Nightly" cannot run: a script was deleted, or its scripts are too large together.',
  ])
})

test('a task that is switched off, or whose machine is offline, does not run', async () => {
  await using prepared = await prepare()
  const { root, add, agent } = prepared
  const params = { id: (await add()).body.id }
  expect((await root.call(runTask, { params })).error).toMatchObject({
    code: 'agent_offline',
    detail: `${agent.hostname} is offline. Try again when it is connected.`,
  })
  await root.call(editTask, { params, body: { enabled: false } })
  expect((await root.call(runTask, { params })).error.detail).toContain('is switched off')
})

test('a task keeps its check while that exists', async () => {
  await using prepared = await prepare()
  const { server, root, add, agent } = prepared
  const check = await server.given.check({ agent_id: agent.agent_id })
  const { body: task } = await add({ task_type: 'checkfailure', assigned_check: check.id })
  expect(task.check_name).toContain('Ping ')
  await root.send({ method: 'DELETE', url: `/checks/${check.id}/` })
  const after: Task = (await root.call(getTask, { params: { id: task.id } })).body
  expect([after.assigned_check, after.check_name]).toEqual([null, null])
})
