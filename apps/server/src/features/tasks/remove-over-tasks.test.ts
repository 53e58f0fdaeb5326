import { createTask } from '@muster/contract/api/tasks'
import type { Input } from '@muster/contract/endpoint'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { removeOverTasks } from './remove-over-tasks.ts'

type Body = Input<typeof createTask>['body']
const COMMAND = { type: 'cmd', shell: 'sh', command: 'true' } as const
// 02:00 in Zurich.
const END = '2026-03-01T01:00:00Z'
const UNTIL = {
  task_type: 'daily',
  run_time_date: '2026-02-01T02:00',
  expire_date: '2026-03-01T02:00',
} as const

/** A machine in Zurich that has been connected for an hour. */
async function prepare(more: Partial<Body> = {}) {
  const server = await createTestServer()
  server.clock.freeze('2026-02-15T12:00:00Z')
  const agent = await server.given.agent({
    hostname: 'pc-1',
    connected: 1,
    last_seen: '2026-02-15T11:00:00Z',
  })
  const facts = JSON.stringify({ time_zone: 'Europe/Zurich' })
  await server.ctx.db.insertInto('agent_facts').values({ agent: agent.id, facts }).execute()
  const root = server.as(await server.given.user({ superuser: true }))
  const { body: task } = await root.call(createTask, {
    body: {
      agent: agent.agent_id,
      name: 'Nightly',
      actions: [COMMAND],
      ...UNTIL,
      remove_if_not_scheduled: true,
      ...more,
    },
  })
  return {
    server,
    agent,
    root,
    task,
    /** The names of the remaining tasks. */
    at: async (minutes: number) => {
      server.clock.freeze(new Date(Date.parse(END) + minutes * 60_000).toISOString())
      await removeOverTasks(server.ctx)
      // Sessions have expired by then.
      return (await server.ctx.db.selectFrom('tasks').select('name').execute()).map(({ name }) => name)
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

test('spec, tasks: a task with expiry is deleted after its end by the clock of its machine', async () => {
  await using given = await prepare()
  const { server, agent } = given
  const versionOf = () => server.ctx.db.selectFrom('agents').select('tasks_version').executeTakeFirstOrThrow()
  const before = await versionOf()
  expect(await given.at(-1)).toEqual(['Nightly'])
  expect(await given.at(5)).toEqual(['Nightly'])
  expect(await given.at(11)).toEqual([])
  expect((await versionOf()).tasks_version).toBe(before.tasks_version + 1)
  const log = await server.ctx.db.selectFrom('audit_log').selectAll().orderBy('id').execute()
  expect(log.at(-1)).toMatchObject({
    username: 'server',
    action: 'delete',
    agent_id: agent.agent_id,
    message: 'Deleted the expired task "Nightly" of "pc-1"',
  })
})

test('a task that runs once is deleted after its time', async () => {
  await using given = await prepare({
    task_type: 'runonce',
    run_time_date: '2026-03-01T02:00',
    expire_date: null,
  })
  expect(await given.at(5)).toEqual(['Nightly'])
  expect(await given.at(11)).toEqual([])
})

test.each<[string, Partial<Body>]>([
  ['does not ask for it', { remove_if_not_scheduled: false }],
  ['has runs to come', { expire_date: '2027-01-01T00:00' }],
  ['is run by hand', { task_type: 'manual' }],
])('a task that %s stays', async (_, more) => {
  await using given = await prepare(more)
  expect(await given.at(6000)).toEqual(['Nightly'])
})

test('it stays while its machine is offline or has just connected, while it runs, and after a failed run', async () => {
  await using given = await prepare()
  const { server, task } = given
  const { db } = server.ctx
  await db.updateTable('agents').set({ connected: 0 }).execute()
  expect(await given.at(100)).toEqual(['Nightly'])
  await db.updateTable('agents').set({ connected: 1, last_seen: server.clock.now().toISOString() }).execute()
  expect(await given.at(101)).toEqual(['Nightly'])
  const result = { task_id: task.id, status: 'pending', run_status: 'running', retcode: null } as const
  const rest = { stdout: '', stderr: '', execution_time: null, last_run: null, more_info: '' }
  await db
    .insertInto('task_results')
    .values({ ...result, ...rest })
    .execute()
  expect(await given.at(200)).toEqual(['Nightly'])
  await db.updateTable('task_results').set({ run_status: 'completed', status: 'failing' }).execute()
  expect(await given.at(200)).toEqual(['Nightly'])
  await db.updateTable('task_results').set({ status: 'passing' }).execute()
  expect(await given.at(200)).toEqual([])
})

test('without an end it is refused', async () => {
  await using given = await prepare()
  const { root, agent } = given
  const { error } = await root.call(createTask, {
    body: {
      agent: agent.agent_id,
      name: 'Endless',
      actions: [COMMAND],
      ...UNTIL,
      expire_date: null,
      remove_if_not_scheduled: true,
    },
  })
  expect(error.fields).toEqual({ expire_date: ['Set the end. The task is deleted after it.'] })
})
