import type { CommandInput } from '@muster/contract/agent/commands'
import type { Report } from '@muster/contract/agent/link'
import { listClients } from '@muster/contract/api/clients'
import {
  createTask,
  deleteTask,
  editTask,
  getTask,
  getTaskRun,
  listTaskRuns,
  runTask,
} from '@muster/contract/api/tasks'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'

const COMMAND = { type: 'cmd', shell: 'sh', command: 'true' } as const
const NOW = '2026-03-01T12:00:00.000Z'
const at = (seconds: number) => new Date(Date.parse(NOW) + seconds * 1000).toISOString()

/** A connected machine with a manual task. */
async function prepare() {
  const server = await createTestServer()
  server.clock.freeze(at(600))
  const { url } = await server.listen()
  const site = await server.given.site()
  const machine = await TestAgent.enrol(server, url, site.id)
  await machine.connect({ agentTime: server.clock.now().toISOString() })
  const root = server.as(await server.given.user({ superuser: true }))
  let from = 0
  const nextPayload = async (): Promise<{ name: string; input: unknown }> => {
    const { payload, command } = await machine.nextCommand(from)
    from = machine.frames.findIndex((frame) => frame.type === 'command' && frame.command === command) + 1
    return payload
  }
  const add = async (more: object = {}) =>
    (
      await root.call(createTask, {
        body: {
          agent: machine.agentId,
          name: 'Nightly',
          task_type: 'manual',
          actions: [COMMAND],
          alert_severity: 'error',
          ...more,
        },
      })
    ).body
  const report = async (...reports: Report[]) => {
    let seq = 0
    for (const one of reports) seq = machine.report(one)
    await machine.next((frame) => frame.type === 'ack' && frame.seq >= seq, 0)
  }
  return {
    server,
    machine,
    root,
    add,
    nextPayload,
    report,
    result: async (id: number) => (await root.call(getTask, { params: { id } })).body.task_result,
    runs: async (id: number) => (await root.call(listTaskRuns, { params: { id }, query: {} })).body,
    alerts: () =>
      server.ctx.db
        .selectFrom('alerts')
        .select(['alert_type', 'severity', 'message', 'state', 'hold'])
        .orderBy('id')
        .execute(),
    tree: async () => (await root.call(listClients, { query: {} })).body[0]?.failing_checks,
    async [Symbol.asyncDispose]() {
      machine.cut()
      await server[Symbol.asyncDispose]()
    },
  }
}

const head = (task_id: number, seconds: number, run_id = `run-at-${seconds}`) => ({
  task_id,
  run_id,
  trigger: 'manual' as const,
  planned_at: null,
  started_at: at(seconds),
})
const started = (task_id: number, seconds: number): Report => ({
  kind: 'task-started',
  ...head(task_id, seconds),
})
const ended = (task_id: number, seconds: number, retcode: number, reason: string | null = null): Report => ({
  kind: 'task-result',
  ...head(task_id, seconds),
  ended_at: at(seconds + 5),
  reason,
  actions: [
    {
      name: 'true',
      outcome: 'exited',
      reason: null,
      retcode,
      stdout: 'out\n',
      stderr: retcode === 0 ? '' : 'oh',
      execution_time: 1.5,
    },
  ],
})

test('a machine receives a task, and the server knows when it has it', async () => {
  await using prepared = await prepare()
  const { add, nextPayload, report, result, root } = prepared
  const task = await add({ task_type: 'cron', cron_expression: '0 2 * * *' })
  const command = await nextPayload()
  expect(command.name).toBe('set-tasks')
  // Guaranteed by the name.
  const input = command.input as CommandInput<'set-tasks'>
  expect(input).toMatchObject({
    version: 1,
    wanted: [{ id: task.id }],
    put: [
      {
        id: task.id,
        enabled: true,
        schedule: { task_type: 'cron', cron_expression: '0 2 * * *' },
        counts_from: at(600),
        actions: [{ type: 'cmd', name: 'true', cmd: 'true', timeout_seconds: 30 }],
      },
    ],
  })
  expect((await result(task.id)).sync_status).toBe('initial')
  await report({ kind: 'tasks-known', version: 1 })
  expect((await result(task.id)).sync_status).toBe('synced')
  await root.call(deleteTask, { params: { id: task.id } })
  expect((await nextPayload()).input).toEqual({ version: 2, wanted: [], put: [] })
})

test('a reconnecting machine with old tasks receives what it lacks', async () => {
  await using prepared = await prepare()
  const { machine, add, nextPayload } = prepared
  machine.cut()
  const task = await add()
  await machine.connect({ tasksVersion: 7 })
  const wanted = [{ id: task.id, revision: expect.stringMatching(/^[0-9a-f]{32}$/) }]
  expect((await nextPayload()).input).toEqual({ version: 8, wanted, put: [] })
  machine.report({ kind: 'tasks-missing', version: 8, ids: [task.id, 99_999] })
  expect((await nextPayload()).input).toMatchObject({ version: 8, put: [{ id: task.id }] })
})

test('a changed script reaches the machines that run it in a task', async () => {
  await using prepared = await prepare()
  const { server, add, nextPayload, root } = prepared
  const script = await server.given.script({ script_body: 'echo old' })
  const task = await add({ actions: [{ type: 'script', script: script.id }] })
  await nextPayload()
  await root.send({ method: 'PUT', url: `/scripts/${script.id}/`, body: { script_body: 'echo new' } })
  expect((await nextPayload()).input).toMatchObject({
    put: [{ id: task.id, actions: [{ body: 'echo new' }] }],
  })
  await root.send({ method: 'DELETE', url: `/scripts/${script.id}/` })
  expect((await nextPayload()).input).toMatchObject({ wanted: [], put: [] })
})

test('a run shows its start and end, with its output', async () => {
  await using prepared = await prepare()
  const { add, nextPayload, report, result, root, runs } = prepared
  const task = await add()
  await nextPayload()
  await root.call(runTask, { params: { id: task.id } })
  expect(await nextPayload()).toMatchObject({ name: 'run-task', input: { id: task.id, trigger: 'manual' } })
  await report(started(task.id, 10))
  expect(await result(task.id)).toMatchObject({ run_status: 'running', status: 'pending' })
  await report(ended(task.id, 10, 0), ended(task.id, 10, 0))
  expect(await result(task.id)).toMatchObject({
    run_status: 'completed',
    status: 'passing',
    retcode: 0,
    stdout: 'out\n',
    execution_time: 1.5,
    last_run: at(15),
  })
  const [run, ...more] = await runs(task.id)
  expect([run, more]).toMatchObject([{ state: 'ended', status: 'passing', started_at: at(10) }, []])
  const { body } = await root.call(getTaskRun, { params: { id: task.id, run: run?.id ?? 0 } })
  expect(body.actions).toMatchObject([{ name: 'true', stdout: 'out\n' }])
})

test('spec, alerts: a failing task raises one alert, which ends when it succeeds', async () => {
  await using prepared = await prepare()
  const { add, report, result, alerts, tree } = prepared
  const task = await add()
  await report(ended(task.id, 10, 3), ended(task.id, 20, 3))
  expect(await result(task.id)).toMatchObject({
    status: 'failing',
    retcode: 3,
    more_info: '"true" exited with code 3.',
  })
  const alert = {
    alert_type: 'task',
    severity: 'error',
    message: 'Task "Nightly": "true" exited with code 3.',
  }
  expect(await alerts()).toMatchObject([{ ...alert, state: 'open' }])
  expect(await tree()).toEqual({ error: true, warning: false })
  await report(ended(task.id, 30, 0))
  expect(await alerts()).toMatchObject([{ ...alert, state: 'resolved' }])
  expect(await tree()).toEqual({ error: false, warning: false })
})

test('maintenance holds the alert of a task', async () => {
  await using prepared = await prepare()
  const { server, add, report, alerts } = prepared
  const task = await add()
  await server.ctx.db.updateTable('agents').set({ maintenance_mode: 1 }).execute()
  await report(ended(task.id, 10, 3))
  expect(await alerts()).toMatchObject([{ hold: 'maintenance' }])
})

test('switching a task off, deleting it or its script ends its alert', async () => {
  await using prepared = await prepare()
  const { server, add, report, alerts, root } = prepared
  const script = await server.given.script()
  const [one, other] = [await add(), await add()]
  const third = await add({ actions: [{ type: 'script', script: script.id }] })
  await report(ended(one.id, 10, 3), ended(other.id, 10, 3), ended(third.id, 10, 3))
  await root.call(editTask, { params: { id: one.id }, body: { enabled: false } })
  await root.call(deleteTask, { params: { id: other.id } })
  await root.send({ method: 'DELETE', url: `/scripts/${script.id}/` })
  expect((await alerts()).map(({ state }) => state)).toEqual(['resolved', 'resolved', 'resolved'])
})

test('an interrupted run has failed with its reason', async () => {
  await using prepared = await prepare()
  const { add, report, result } = prepared
  const task = await add()
  const reason = 'The agent was restarted while the task ran.'
  await report(started(task.id, 10), { ...ended(task.id, 10, 0, reason), actions: [] } as Report)
  expect(await result(task.id)).toMatchObject({ status: 'failing', retcode: null, more_info: reason })
})

test('missed runs are listed, and change no result', async () => {
  await using prepared = await prepare()
  const { add, report, result, runs } = prepared
  const task = await add()
  const missed = { task_id: task.id, run_id: 'missed-01', count: 3, from: at(10), to: at(200) }
  await report({ kind: 'task-missed', ...missed, why: 'off' }, { kind: 'task-missed', ...missed, why: 'off' })
  expect(await runs(task.id)).toMatchObject([
    { state: 'missed', missed: 3, started_at: at(10), ended_at: at(200) },
  ])
  expect(await result(task.id)).toMatchObject({ status: 'pending' })
})

test('the newest 200 runs of each task are kept', async () => {
  await using prepared = await prepare()
  const { add, report, runs } = prepared
  const task = await add()
  await report(...Array.from({ length: 210 }, (_, index) => ended(task.id, index, 0)))
  const kept = await runs(task.id)
  expect([kept.length, kept[0]?.started_at, kept.at(-1)?.started_at]).toEqual([200, at(209), at(10)])
})

test('a machine that starts runs and ends none has no more of them', async () => {
  await using prepared = await prepare()
  const { add, report, runs } = prepared
  const task = await add()
  await report(...Array.from({ length: 210 }, (_, index) => started(task.id, index)))
  const kept = await runs(task.id)
  expect([kept.length, kept[0]?.started_at, kept.at(-1)?.started_at]).toEqual([200, at(209), at(10)])
})

test('a machine cannot report for tasks of another, nor from the future', async () => {
  await using prepared = await prepare()
  const { server, add, report, result, alerts } = prepared
  const foreign = await server.given.task()
  await report(ended(foreign.id, 10, 3), ended(4_000_000_000, 10, 3))
  expect(await alerts()).toEqual([])
  const task = await add()
  await report({ ...ended(task.id, 10, 0), ended_at: at(99_999) } as Report)
  expect((await result(task.id)).last_run).toBe(at(660))
})

test('spec, tasks: when its check starts to fail, a task runs once on the machine', async () => {
  await using prepared = await prepare()
  const { server, machine, add, nextPayload, report } = prepared
  const check = await server.given.check({ agent_id: machine.agentId, revision: 'ping.1' })
  const task = await add({ task_type: 'checkfailure', assigned_check: check.id })
  await nextPayload()
  const ping = (seconds: number, received: number): Report => ({
    kind: 'checks',
    results: [
      {
        check_id: check.id,
        revision: 'ping.1',
        at: at(seconds),
        measured: { check_type: 'ping', sent: 3, received, ms: null, output: '' },
      },
    ],
  })
  await report(ping(10, 3))
  await report(ping(20, 0))
  await report(ping(30, 0))
  await server.ctx.jobs.drain()
  expect(await nextPayload()).toMatchObject({
    name: 'run-task',
    input: { id: task.id, trigger: 'checkfailure' },
  })
  await report(ping(40, 3))
  await server.ctx.db.updateTable('agents').set({ maintenance_mode: 1 }).execute()
  await report(ping(50, 0))
  await server.ctx.jobs.drain()
  const runs = machine.frames.filter(
    (frame) => frame.type === 'command' && frame.command.payload.includes('"run-task"'),
  )
  expect(runs).toHaveLength(1)
})
