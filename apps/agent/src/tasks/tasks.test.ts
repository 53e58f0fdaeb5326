import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { INSTANCE_POLICIES, type TaskDefinition } from '@muster/contract/agent/tasks'
import { expect, test, vi } from 'vitest'
import { givenTask, reportsOf, runTask, setTasks, shell, untilTaskResult } from '../testing/given-tasks.ts'
import { givenAgent, givenFolder } from '../testing/given.ts'

const linesOf = (file: string) =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []

test('a manual task runs its actions in order and reports their output', async () => {
  const { server } = await givenAgent()
  const script = {
    type: 'script' as const,
    name: 'Say it',
    timeout_seconds: 30,
    interpreter: 'shell' as const,
    body: 'echo "$1 $WHO"; echo oh >&2; exit 3',
    args: ['a b'],
    env_vars: ['WHO=world'],
  }
  setTasks(server, [givenTask({}, { actions: [script, shell('echo second')] })])
  runTask(server, 'run-00001')
  const result = await untilTaskResult(server)
  expect(result).toMatchObject({ task_id: 1, run_id: 'run-00001', trigger: 'manual', reason: null })
  expect(result.actions).toMatchObject([
    { name: 'Say it', outcome: 'exited', retcode: 3, stdout: 'a b world\n', stderr: 'oh\n' },
    { name: 'echo second', outcome: 'exited', retcode: 0, stdout: 'second\n' },
  ])
  expect(reportsOf(server, 'task-started')).toMatchObject([{ run_id: 'run-00001' }])
})

test('without "continue on error" the actions after a failure are skipped', async () => {
  const { server } = await givenAgent()
  const actions = [shell('true'), shell('sleep 30', 1), shell('echo never')]
  setTasks(server, [givenTask({}, { actions, continue_on_error: false })])
  runTask(server, 'run-00001')
  const { actions: results } = await untilTaskResult(server)
  expect(results.map(({ outcome }) => outcome)).toEqual(['exited', 'timed_out', 'skipped'])
})

test('an action that cannot run on this machine is refused with a message', async () => {
  const { server } = await givenAgent()
  const odd = { ...shell('x'), shell: 'custom' as const, custom_shell: '/no/such/shell' }
  setTasks(server, [givenTask({}, { actions: [odd] })])
  runTask(server, 'run-00001')
  const { actions } = await untilTaskResult(server)
  expect(actions).toMatchObject([
    { outcome: 'refused', reason: 'Program "/no/such/shell" was not found on this machine.' },
  ])
})

test('the first and the last part of a long output are reported, of each stream', async () => {
  const { server } = await givenAgent()
  const flood = 'seq 1000000 1374999; echo "FATAL: disk /dev/sdb failed" >&2; exit 3'
  setTasks(server, [givenTask({}, { actions: [shell(flood)] })])
  runTask(server, 'run-00001')
  const [action] = (await untilTaskResult(server)).actions
  expect(action).toMatchObject({ retcode: 3, stderr: 'FATAL: disk /dev/sdb failed\n' })
  expect(action?.stdout).toMatch(/^1000000\n.*\n\[2,99\d,\d\d\d characters left out here\]\n.*\n1374999\n$/s)
  expect(action?.stdout.length).toBeLessThanOrEqual(10_000)
})

test('secrets are hidden in reports, and encrypted on disk', async () => {
  const { server, folder, restart } = await givenAgent()
  const secret = 'correct horse battery'
  const script = {
    type: 'script' as const,
    name: 'Say it',
    timeout_seconds: 30,
    interpreter: 'shell' as const,
    body: 'echo "$1"; echo "$KEY" >&2',
    args: [`--key=${secret}`],
    env_vars: [`KEY=${secret}`],
    secrets: [secret],
  }
  setTasks(server, [givenTask({}, { actions: [script] })])
  runTask(server, 'run-00001')
  const { actions } = await untilTaskResult(server)
  expect(actions).toMatchObject([{ retcode: 0, stdout: '--key=••••••\n', stderr: '••••••\n' }])
  for (const file of readdirSync(folder).filter((name) => name.startsWith('state.db'))) {
    expect(readFileSync(join(folder, file), 'latin1')).not.toContain('horse')
  }
  // After a restart it is known without the server.
  await restart()
  runTask(server, 'run-00002')
  expect(await untilTaskResult(server, 'run-00002')).toMatchObject({
    actions: [{ stdout: '--key=••••••\n' }],
  })
})

test('an action whose variable has no value does not run, and reports that', async () => {
  const { server } = await givenAgent()
  const problem = '{{global.API}} has no value for PC-12. Check the name or set a value.'
  const script = {
    type: 'script' as const,
    name: 'Say it',
    timeout_seconds: 30,
    interpreter: 'shell' as const,
    body: 'echo "$1"',
    args: ['{{global.API}}'],
    env_vars: [],
    problem,
  }
  setTasks(server, [givenTask({}, { actions: [script] })])
  runTask(server, 'run-00001')
  expect((await untilTaskResult(server)).actions).toMatchObject([{ outcome: 'refused', reason: problem }])
})

test('a request that arrives twice, or before its task, runs once', async () => {
  const { server } = await givenAgent()
  const file = join(givenFolder(), 'runs')
  runTask(server, 'run-00001')
  runTask(server, 'run-00001')
  setTasks(server, [givenTask({}, { actions: [shell(`echo run >> ${file}`)] })])
  await untilTaskResult(server, 'run-00001')
  runTask(server, 'run-00001')
  runTask(server, 'run-00002')
  await untilTaskResult(server, 'run-00002')
  expect(linesOf(file)).toHaveLength(2)
})

test('an onboarding task runs once, whatever changes in its definition', async () => {
  const { server, restart } = await givenAgent()
  const file = join(givenFolder(), 'runs')
  const task = givenTask({ task_type: 'onboarding' }, { actions: [shell(`echo run >> ${file}`)] })
  setTasks(server, [task])
  expect((await untilTaskResult(server)).trigger).toBe('onboarding')
  setTasks(server, [{ ...task, revision: 'r2' }], { version: 2 })
  await restart()
  expect(server.answers.at(-1)?.tasks_version).toBe(2)
  runTask(server, 'run-00001')
  await untilTaskResult(server, 'run-00001')
  expect(linesOf(file)).toHaveLength(2)
})

test('a start-up task runs when the machine has booted, not when the agent starts', async () => {
  const { server, restart, start, agent } = await givenAgent({ agent: { bootMark: () => 'one' } })
  setTasks(server, [givenTask({ task_type: 'startup' })])
  await server.until(() => reportsOf(server, 'tasks-known')[0])
  const again = await restart()
  expect(reportsOf(server, 'task-started')).toEqual([])
  await again[Symbol.asyncDispose]()
  expect(agent).toBeDefined()
  await start({ bootMark: () => 'two' })
  expect((await untilTaskResult(server)).trigger).toBe('startup')
})

test('runs missed while the agent was off are caught up after its start, without a server', async () => {
  const { server, agent, start } = await givenAgent()
  const minutes = [3, 5].map((later) => new Date(Date.now() + later * 60_000).getMinutes())
  const schedule = { task_type: 'cron', cron_expression: `${minutes.join()} * * * *` } as const
  const counts_from = new Date().toISOString()
  setTasks(server, [givenTask(schedule, { counts_from })])
  await server.until(() => reportsOf(server, 'tasks-known')[0])
  await agent[Symbol.asyncDispose]()
  await start({ now: () => Date.now() + 10 * 60_000 })
  const result = await untilTaskResult(server)
  expect(result).toMatchObject({ trigger: 'missed', actions: [{ stdout: 'hello\n' }] })
  expect(await server.until(() => reportsOf(server, 'task-missed')[0])).toMatchObject({ why: 'off' })
})

test.each([
  ['parallel', ['one', 'two', 'three'], 0],
  ['queue', ['one', 'two', 'three'], 0],
  ['skip', ['one'], 2],
  ['stopExisting', ['one', 'three'], 1],
] as const)('overlap policy %s', async (policy, begun, missed) => {
  const task_instance_policy = INSTANCE_POLICIES[policy]
  const { server } = await givenAgent()
  const folder = givenFolder()
  const body = `echo begun >> ${folder}/runs; while [ ! -e ${folder}/go ]; do sleep 0.05; done`
  setTasks(server, [givenTask({}, { actions: [shell(body)], task_instance_policy })])
  for (const name of ['one', 'two', 'three']) runTask(server, `run-${name}-`)
  await server.until(
    () =>
      reportsOf(server, 'task-missed').length === missed &&
      reportsOf(server, 'task-started').length === (policy === 'queue' ? 1 : begun.length),
  )
  server.command(
    server.sign('run-command', { ...RUN, cmd: `touch ${folder}/go` }, { payload: { history_id: 9 } }),
  )
  const names = () => reportsOf(server, 'task-result').map(({ run_id }) => run_id.split('-')[1] ?? '')
  await server.until(() => names().length === begun.length)
  expect(new Set(names())).toEqual(new Set(begun))
  const first = reportsOf(server, 'task-result').find(({ run_id }) => run_id === 'run-one-')
  expect(first?.actions[0]?.outcome).toBe(policy === 'stopExisting' ? 'cancelled' : 'exited')
})

const RUN = {
  shell: 'sh' as const,
  custom_shell: null,
  env_vars: [],
  run_as_user: null,
  timeout_seconds: 10,
  output_cap_bytes: 1000,
}

test('a run is ended with its repetition period if configured', async () => {
  const aheadMs = aheadAt(54)
  const { server } = await givenAgent({ aheadMs })
  const schedule = {
    ...EVERY_MINUTE,
    task_repetition_interval: '1m',
    task_repetition_duration: '1m',
  } as const
  // The first run was due three quarters of a minute ago, and its period ends in seconds.
  const counts_from = new Date(Date.now() + aheadMs - 60_000).toISOString()
  const actions = [shell('sleep 40')]
  setTasks(server, [givenTask(schedule, { actions, counts_from, stop_task_at_duration_end: true })])
  const result = await untilTaskResult(server)
  expect(result.reason).toBe('Ended because the repetition period of the task is over.')
  expect(result.actions).toMatchObject([{ outcome: 'cancelled' }])
})

test('due tasks run while the server is offline, and are reported afterwards', async () => {
  const aheadMs = aheadAt(52)
  const { server, port } = await givenAgent({ aheadMs, expectedWarnings: [/./] })
  const sign = join(givenFolder(), 'alone')
  const counts_from = new Date(Date.now() + aheadMs).toISOString()
  const actions = [shell(`echo run >> ${sign}; echo alone`)]
  setTasks(server, [givenTask(EVERY_MINUTE, { actions, counts_from })])
  await server.until(() => reportsOf(server, 'tasks-known')[0])
  await server[Symbol.asyncDispose]()
  await vi.waitFor(() => expect(linesOf(sign)).toEqual(['run']))
  await server.listen(port)
  expect(await untilTaskResult(server)).toMatchObject({
    trigger: 'schedule',
    actions: [{ stdout: 'alone\n' }],
  })
})

const EVERY_MINUTE = { task_type: 'cron', cron_expression: '* * * * *' } as const

/** Clock offset of less than a minute that shows this second. */
const aheadAt = (second: number) => (second * 1000 - (Date.now() % 60_000) + 60_000) % 60_000

test('a run that a restart of the agent interrupts is reported as failed', async () => {
  const { server, restart } = await givenAgent()
  const sign = join(givenFolder(), 'begun')
  setTasks(server, [givenTask({}, { actions: [shell(`touch ${sign}; sleep 40`), shell('echo next')] })])
  runTask(server, 'run-00001')
  await server.until(() => existsSync(sign))
  await restart()
  const result = await untilTaskResult(server, 'run-00001')
  expect(result.reason).toBe('The agent was stopped while the task ran.')
  expect(result.actions.map(({ outcome }) => outcome)).toEqual(['failed', 'failed'])
})

test('a task that is removed while it runs is ended and not reported', async () => {
  const { server } = await givenAgent()
  const sign = join(givenFolder(), 'begun')
  setTasks(server, [givenTask({}, { actions: [shell(`touch ${sign}; sleep 40`)] })])
  runTask(server, 'run-00001')
  await server.until(() => existsSync(sign))
  const other = givenTask({}, { id: 2 })
  setTasks(server, [other], { version: 2 })
  runTask(server, 'run-00002', 2)
  await untilTaskResult(server, 'run-00002')
  expect(reportsOf(server, 'task-result').map(({ run_id }) => run_id)).toEqual(['run-00002'])
})

test('missing definitions are requested once; unsupported ones are reported', async () => {
  const { server, restart } = await givenAgent()
  const strange = { id: 2, revision: 'r1', schedule: 'when the moon is full' }
  const wanted = [1, 2, 3].map((id) => ({ id, revision: 'r1' }))
  // A future server.
  setTasks(server, [givenTask(), strange as unknown as TaskDefinition], { version: 4, wanted })
  expect(await server.until(() => reportsOf(server, 'tasks-missing')[0])).toMatchObject({ ids: [3] })
  expect((await untilTaskResult(server)).reason).toContain('does not support this task')
  await restart()
  expect(server.answers.at(-1)?.tasks_version).toBe(0)
})
