import type { CommandInput } from '@muster/contract/agent/commands'
import type { AgentFacts } from '@muster/contract/agent/facts'
import type { Report } from '@muster/contract/agent/link'
import { MachineService } from '@muster/contract/agent/services'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { GOOD_TOKEN, shellInput, TestServer } from '../src/testing/test-server.ts'
import { WineMachine } from './wine-machine.ts'

let machine: WineMachine
const server = new TestServer()
let runs = 0

beforeAll(async () => {
  machine = await WineMachine.start()
  server.readLog = () => machine.readOutput()
  const url = `http://127.0.0.1:${await server.listen()}`
  const agent = machine.layProgram('C:\\Muster')
  const data = ['--data', 'C:\\ProgramData\\Muster Agent']
  const code = await machine.run([...agent, 'enrol', '--server', url, '--token', GOOD_TOKEN, ...data])
  if (code !== 0) throw new Error(machine.readOutput())
  machine.start([...agent, 'run', ...data])
  await server.until(() => server.answers.length > 0)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await machine[Symbol.asyncDispose]()
})

async function run(cmd: string, more: Partial<CommandInput<'run-command'>> = {}) {
  const id = (runs += 1)
  server.runShell(id, cmd, { shell: 'cmd', ...more })
  const result = await server.result(id)
  return { id, result, out: server.outputOf(id), err: server.outputOf(id, 'stderr') }
}

test('a command runs in cmd, with its exit code and both kinds of output', async () => {
  const { result, out, err } = await run('echo "one two"& echo bad 1>&2& exit 7')
  expect(result).toMatchObject({ outcome: 'exited', retcode: 7 })
  expect([out, err]).toEqual(['"one two"\r\n', 'bad \r\n'])
})

test('output is UTF-8, whatever the code page of the machine is', async () => {
  expect((await run('echo äöü 雪 €')).out).toBe('äöü 雪 €\r\n')
})

test('a cmd script gets its arguments, with spaces and quotes', async () => {
  const id = (runs += 1)
  const { env_vars, run_as_user, timeout_seconds, output_cap_bytes } = shellInput('')
  const input = {
    interpreter: 'cmd' as const,
    body: '@echo off\necho [%~1] [%~2]\nexit /b 5\n',
    args: ['one two', 'three'],
    env_vars,
    run_as_user,
    timeout_seconds,
    output_cap_bytes,
  }
  server.command(server.sign('run-script', input, { payload: { history_id: id } }))
  expect(await server.result(id)).toMatchObject({ outcome: 'exited', retcode: 5 })
  expect(server.outputOf(id)).toBe('[one two] [three]\r\n')
})

test('a command runs as the signed-in user, and by name it is refused', async () => {
  const { result, out } = await run('echo %USERNAME%', { run_as_user: { signed_in: true } })
  expect(result).toMatchObject({ outcome: 'exited', retcode: 0 })
  expect(out).toBe('root\r\n')
  expect((await run('ver', { run_as_user: 'someone' })).result).toMatchObject({ outcome: 'refused' })
})

test('a cancelled run leaves no process behind, also of parents that have ended', async () => {
  const id = (runs += 1)
  // Each try pings its own number of times: a second one does not count what the first one left.
  const ping = `ping -n 60${id} 127.0.0.1`
  server.runShell(id, `start /b ${ping}& start ${ping}& echo started& ${ping}`, { shell: 'cmd' })
  await server.until(() => server.outputOf(id).includes('started'))
  const pings = () =>
    machine.listProcesses().filter((line) => line.includes(` -n 60${id} `) && !line.includes('&'))
  await expect.poll(() => pings().length).toBe(3)
  server.command(server.sign('cancel', { history_id: id }))
  expect(await server.result(id)).toMatchObject({ outcome: 'cancelled' })
  expect(pings()).toEqual([])
})

/** Sends a request and returns the answer of the agent. */
async function request<Name extends Parameters<TestServer['sign']>[0]>(
  name: Name,
  input: CommandInput<Name>,
) {
  const command = server.sign(name, input)
  const { nonce } = z.object({ nonce: z.string() }).parse(JSON.parse(command.payload))
  server.command(command)
  const found = await server.until(() =>
    server.frames.find((frame) => frame.type === 'reply' && frame.nonce === nonce),
  )
  return found.type === 'reply' ? { refused: found.refused, answer: found.answer } : undefined
}

test('services are listed and restarted, and the machine names the reason of a refusal', async () => {
  const list = await request('list-services', { name: null })
  const { services } = z.object({ services: z.array(MachineService) }).parse(list?.answer)
  expect(services.find(({ name }) => name === 'RpcSs')).toMatchObject({ status: 'running' })
  const started = await request('control-service', { name: 'Spooler', action: 'restart' })
  expect(started).toMatchObject({ refused: null, answer: { name: 'Spooler', status: 'running' } })
  await request('set-start-type', { name: 'BITS', start_type: 'disabled' })
  const refused = await request('control-service', { name: 'BITS', action: 'start' })
  expect(refused?.refused).toBe('Windows refused: Service is disabled.')
})

test('processes arrive while they are watched, and one is ended', async () => {
  const id = (runs += 1)
  server.runShell(id, 'ping -n 600 127.0.0.1', { shell: 'cmd' })
  server.command(server.sign('watch-processes', { seconds: 60 }))
  const seen = () => server.frames.flatMap((frame) => (frame.type === 'live-processes' ? frame.look.put : []))
  const ping = await server.until(() => seen().find(({ name }) => name === 'ping.exe'))
  expect(ping.username).toMatch(/\\root$/)
  const agent = seen().find(({ name }) => name === 'node.exe')
  expect(agent?.started_at).not.toBeNull()
  const { pid, start } = ping
  const ended = await request('end-process', { pid, start, force: true, tree: false })
  expect(ended).toMatchObject({ refused: null, answer: { name: 'ping.exe', ended: 1, left: [] } })
  server.command(server.sign('watch-processes', { seconds: 0 }))
  expect(await server.result(id)).toMatchObject({ outcome: 'exited' })
})

test('facts, software and counters are reported', async () => {
  const report = <Kind extends Report['kind']>(kind: Kind) =>
    server.reports.filter((found): found is Extract<Report, { kind: Kind }> => found.kind === kind)
  const facts = () => Object.assign({}, ...report('facts').map((found) => found.facts)) as Partial<AgentFacts>
  // The first report may have failed on a busy machine; the next one is an hour away.
  server.command(server.sign('report-facts', {}))
  await server.until(() => facts().cpus !== undefined)
  expect(facts()).toMatchObject({
    platform: 'windows',
    os_name: 'Windows 10 Pro',
    logged_in_user: 'root',
    needs_reboot: false,
    problems: [],
  })
  expect(facts().cpus?.[0]).toMatch(/\S/)
  server.command(server.sign('report-software', {}))
  const software = await server.until(() => report('software').find(({ inventory }) => inventory !== null))
  expect(software.inventory?.packages).toEqual([])
  const [sample] = await server.until(() => report('metrics').length > 0 && report('metrics'))
  expect(sample?.sample.values).toMatchObject({
    cpu: expect.any(Number),
    memory: expect.any(Number),
    net_in: expect.any(Number),
    net_out: expect.any(Number),
  })
})

test('an event log that cannot be read is an error, and not an empty list', async () => {
  const search = {
    log: 'System',
    unit: null,
    priority: 'debug',
    since: null,
    until: null,
    search: '',
  } as const
  expect(await request('read-log', search)).toMatchObject({
    refused: 'Failed to read the log System: wevtutil printed nothing, not even about the log.',
  })
})

test('a search for updates that prints nothing is an error, and not an empty list', async () => {
  server.command(server.sign('scan-patches', {}))
  const report = await server.until(() => server.reports.find(({ kind }) => kind === 'patches'))
  expect(report).toMatchObject({
    found: null,
    problem: 'Windows Update failed: PowerShell printed nothing.',
  })
})

test('Node as a custom shell runs the line', async () => {
  const custom_shell = 'C:\\Muster\\node.exe'
  expect((await run('console.log(6 * 7)', { shell: 'custom', custom_shell })).out).toBe('42\n')
})
