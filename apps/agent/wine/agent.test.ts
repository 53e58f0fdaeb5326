import type { CommandInput } from '@muster/contract/agent/commands'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { GOOD_TOKEN, shellInput, TestServer } from '../src/testing/test-server.ts'
import { WineMachine } from './wine-machine.ts'

const SLOW = { timeout: 120_000 }
let machine: WineMachine
const server = new TestServer()
let runs = 0

beforeAll(async () => {
  machine = await WineMachine.start()
  const url = `http://127.0.0.1:${await server.listen()}`
  const agent = machine.layProgram('C:\\Muster')
  const data = ['--data', 'C:\\ProgramData\\Muster Agent']
  const code = await machine.run([...agent, 'enrol', '--server', url, '--token', GOOD_TOKEN, ...data])
  if (code !== 0) throw new Error(machine.readOutput())
  machine.start([...agent, 'run', ...data])
  await server.until(() => server.answers.length > 0, 60_000)
}, 120_000)
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await machine[Symbol.asyncDispose]()
})

async function run(cmd: string, more: Partial<CommandInput<'run-command'>> = {}) {
  const id = (runs += 1)
  server.runShell(id, cmd, { shell: 'cmd', ...more })
  const result = await server.result(id, 60_000)
  return { id, result, out: server.outputOf(id), err: server.outputOf(id, 'stderr') }
}

test('a command runs in cmd, with its exit code and both kinds of output', SLOW, async () => {
  const { result, out, err } = await run('echo "one two"& echo bad 1>&2& exit 7')
  expect(result).toMatchObject({ outcome: 'exited', retcode: 7 })
  expect([out, err]).toEqual(['"one two"\r\n', 'bad \r\n'])
})

test('output is UTF-8, whatever the code page of the machine is', SLOW, async () => {
  expect((await run('echo äöü 雪 €')).out).toBe('äöü 雪 €\r\n')
})

test('a cmd script gets its arguments, with spaces and quotes', SLOW, async () => {
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
  expect(await server.result(id, 60_000)).toMatchObject({ outcome: 'exited', retcode: 5 })
  expect(server.outputOf(id)).toBe('[one two] [three]\r\n')
})

test('a cancelled run leaves no process behind, also of parents that have ended', SLOW, async () => {
  const id = (runs += 1)
  const ping = 'ping -n 600 127.0.0.1'
  server.runShell(id, `start /b ${ping}& start ${ping}& echo started& ${ping}`, { shell: 'cmd' })
  await server.until(() => server.outputOf(id).includes('started'), 60_000)
  const pings = () =>
    machine.listProcesses().filter((line) => /ping\S* -n 600/.test(line) && !line.includes('&'))
  await expect.poll(() => pings().length, { timeout: 20_000 }).toBe(3)
  server.command(server.sign('cancel', { history_id: id }))
  expect(await server.result(id, 60_000)).toMatchObject({ outcome: 'cancelled' })
  expect(pings()).toEqual([])
})
