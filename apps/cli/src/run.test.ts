import { getFleetJob } from '@muster/contract/api/fleet-jobs'
import { getHistory } from '@muster/contract/api/runs'
import { startFleet } from '@muster/fake-agent/fleet'
import { at, result } from '@muster/server/features/runs/test-run.ts'
import { TestAgent } from '@muster/server/features/agents/test-agent.ts'
import { createEnrolToken } from '@muster/server/features/installers/enrol-machine.ts'
import { expect, test, vi } from 'vitest'
import { givenCli, startInTerminal } from './test-cli.ts'

type Cli = Awaited<ReturnType<typeof givenCli>>

async function enrolMachine(cli: Cli, hostname: string): Promise<TestAgent> {
  const { id } = await cli.server.given.site()
  return TestAgent.enrol(cli.server, cli.url, id, { hostname })
}

const on = (hostname: string, ...more: string[]) => ['run', '--on', `name:${hostname}`, ...more]

test('on one machine the output is printed as it arrives, and the exit code is that of the command', async () => {
  await using cli = await givenCli()
  using machine = await enrolMachine(cli, 'web-01')
  await machine.comeOnline()
  const program = cli.start(...on('web-01', '--shell', 'bash', '--', 'echo', 'hello;', 'exit', '3'))
  const { payload } = await machine.nextCommand(0)
  expect(payload.input).toMatchObject({ shell: 'bash', cmd: 'echo hello; exit 3' })
  const id = payload.history_id ?? 0
  machine.report({ kind: 'started', history_id: id, at: at() })
  machine.report({ kind: 'output', history_id: id, chunk: 1, stream: 'stdout', text: '\u001b[1mfirst\n' })
  await vi.waitFor(() => expect(program.output.stdout).toBe('\u001b[1mfirst\n'))
  machine.report({ kind: 'output', history_id: id, chunk: 2, stream: 'stderr', text: 'warning\n' })
  machine.report(result(id, { retcode: 3 }))
  await expect(program.ended).resolves.toEqual({ code: 3, stdout: '\u001b[1mfirst\n', stderr: 'warning\n' })
})

test('a terminal gets no escape sequences of the output', async () => {
  await using cli = await givenCli()
  using machine = await enrolMachine(cli, 'web-01')
  await machine.comeOnline()
  const terminal = startInTerminal(on('web-01', '--', 'ls'), cli.env)
  const id = (await machine.nextCommand(0)).payload.history_id ?? 0
  const text = 'a\u001b]0;title\u0007b\u001b[2Jc\u009b2Jd\u202e\n'
  machine.report({ kind: 'output', history_id: id, chunk: 1, stream: 'stdout', text })
  machine.report(result(id))
  expect(await terminal.ended).toBe(0)
  expect(terminal.screen()).toMatch(/^ab/)
  expect(terminal.screen().replaceAll(/[\r\n]/g, '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})

test('--json prints the run with its output', async () => {
  await using cli = await givenCli()
  using machine = await enrolMachine(cli, 'web-01')
  await machine.comeOnline()
  const program = cli.start('--json', ...on('web-01', '--', 'uptime'))
  const id = (await machine.nextCommand(0)).payload.history_id ?? 0
  machine.report({ kind: 'output', history_id: id, chunk: 1, stream: 'stdout', text: 'up\n' })
  machine.report(result(id))
  const { code, stdout } = await program.ended
  expect(code).toBe(0)
  const { body } = await cli.server.as(cli.ada).call(getHistory, { params: { id } })
  expect(JSON.parse(stdout)).toEqual(body)
})

test('Ctrl+C cancels the command on the machine', async () => {
  await using cli = await givenCli()
  using machine = await enrolMachine(cli, 'web-01')
  await machine.comeOnline()
  const program = cli.start(...on('web-01', '--', 'sleep', '600'))
  const id = (await machine.nextCommand(0)).payload.history_id ?? 0
  machine.report({ kind: 'started', history_id: id, at: at() })
  machine.report({ kind: 'output', history_id: id, chunk: 1, stream: 'stdout', text: 'sleeps\n' })
  await vi.waitFor(() => expect(program.output.stdout).toBe('sleeps\n'))
  program.child.kill('SIGINT')
  await expect(program.ended).resolves.toEqual({
    code: 130,
    stdout: 'sleeps\n',
    stderr: 'Cancelled on web-01.\n',
  })
  const row = await cli.server.ctx.db
    .selectFrom('agent_history')
    .select('cancel_requested')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(row.cancel_requested).toBe(1)
})

test('an offline machine is refused, or waited for with --keep', async () => {
  await using cli = await givenCli()
  using machine = await enrolMachine(cli, 'web-01')
  await expect(cli.run(...on('web-01', '--', 'uptime'))).resolves.toEqual({
    code: 1,
    stdout: '',
    stderr: 'muster: web-01 is offline. Add --keep to run the command when it reconnects.\n',
  })
  const program = cli.start(...on('web-01', '--keep', '--', 'uptime'))
  await vi.waitFor(() => expect(program.output.stderr).toContain('Waiting until it reconnects'))
  await machine.connect()
  const id = (await machine.nextCommand(0)).payload.history_id ?? 0
  machine.report(result(id))
  expect((await program.ended).code).toBe(0)
})

test('a search without a machine runs nothing', async () => {
  await using cli = await givenCli()
  await expect(cli.run(...on('none', '--', 'uptime'))).resolves.toEqual({
    code: 1,
    stdout: '',
    stderr: 'muster: No machine matches "name:none".\n',
  })
})

test.each([
  [['run', '--', 'uptime']],
  [['run', '--on', 'web']],
  [['run', '--on', 'web', '--shell', 'fish', '--', 'uptime']],
  [['run', '--on', 'web', '--timeout', '0', '--', 'uptime']],
])('the wrong command line %j ends with exit code 2', async (args) => {
  await using cli = await givenCli()
  const { code, stderr } = await cli.run(...args)
  expect(code).toBe(2)
  expect(stderr).toMatch(/^muster: .+\n$/)
})

test('several machines get a planned job, which is followed to its end and found by the commands of jobs', async () => {
  await using cli = await givenCli()
  const { id: siteId } = await cli.server.given.site()
  const token = await createEnrolToken(cli.server.ctx.db, {
    siteId,
    monitoringType: 'server',
    plat: null,
    uses: 2,
    expiresAt: new Date(cli.server.clock.now().getTime() + 60_000).toISOString(),
    createdBy: 'test',
    now: cli.server.clock.now(),
  })
  const facts = () => ({ platform: 'linux' as const })
  using _fleet = await startFleet({ server: cli.url, token, count: 2, seed: 1, facts })
  await vi.waitFor(async () => {
    const rows = await cli.server.ctx.db.selectFrom('agents').select(['connected', 'plat']).execute()
    expect(rows).toEqual(Array(2).fill({ connected: 1, plat: 'linux' }))
  })
  const args = ['run', '--on', 'is:online', '--shell', 'sh', '--', 'uptime']
  const unasked = await cli.run(...args)
  expect(unasked).toMatchObject({ code: 2, stdout: '' })
  expect(unasked.stderr).toContain('2 of 2 machines\n')
  expect(unasked.stderr).toMatch(/\nmuster: Add --yes to start the job without a question\.\n$/)
  const refused = startInTerminal(args, cli.env, 120)
  await refused.waitFor('Start this job on 2 machines? [y/N] ')
  refused.type('n\r')
  expect(await refused.ended).toBe(1)
  expect(refused.screen()).toContain('Nothing was started.')
  await expect(cli.run('jobs', 'list')).resolves.toMatchObject({ code: 0, stdout: 'No jobs.\n' })

  const started = await cli.run('run', '--yes', ...args.slice(1))
  expect(started.stderr).toMatch(/Job \d+ done: 2 succeeded\n$/)
  expect(started).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^MACHINES {2}STATE .*\n1 +succeeded +0 +.*uptime\n/),
  })
  const [, id = ''] = /Job (\d+) done/.exec(started.stderr) ?? []
  expect((await cli.run('jobs', 'list')).stdout).toMatch(new RegExp(`^ID .*\\n${id} +done `))
  const shown = await cli.run('jobs', 'show', id)
  expect(shown.stdout).toMatch(/\nState +done\n/)
  expect(await cli.run('jobs', 'wait', id)).toMatchObject({ code: 0 })
  const json = await cli.run('--json', 'jobs', 'show', id)
  const { body } = await cli.server.as(cli.ada).call(getFleetJob, { params: { id: Number(id) } })
  expect(JSON.parse(json.stdout)).toEqual(body)
  const failed = await cli.run('run', '--yes', '--on', 'is:online', '--', 'fail broken; exit 7')
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/\n2 +failed +7 +broken\n$/) })
  expect(await cli.run('jobs', 'show', '999')).toMatchObject({ code: 1, stdout: '' })
})
