import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { GOOD_TOKEN, TestServer } from '../src/testing/test-server.ts'
import { WineMachine } from './wine-machine.ts'

const PROGRAM = 'C:\\Program Files\\Muster Agent'
const DATA = 'C:\\ProgramData\\Muster Agent'
const KEY = 'HKLM\\SYSTEM\\CurrentControlSet'
let machine: WineMachine
let agent: string[]
let server: TestServer
let port: number

beforeAll(async () => {
  machine = await WineMachine.start()
  machine.keepSignedIn()
  agent = machine.layProgram(PROGRAM)
  server = new TestServer()
  port = await server.listen()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await machine[Symbol.asyncDispose]()
})

async function run(...args: string[]): Promise<string> {
  const before = machine.readOutput().length
  const code = await machine.run(args)
  const output = machine.readOutput().slice(before)
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${output}`)
  return output
}

const listAgents = () => machine.listProcesses().filter((line) => line.includes('agent.mjs'))
const readLog = () => readFileSync(machine.hostPath(`${DATA}\\agent.log`), 'utf8')

test('the agent is installed as a service that enrols, connects, stops and starts with Windows', async () => {
  const url = `http://127.0.0.1:${port}`
  const installed = await run(...agent, 'install', '--server', url, '--token', GOOD_TOKEN)
  expect(installed).toContain('The service MusterAgent is running.')
  await server.untilUp(1)
  expect(existsSync(machine.hostPath(`${DATA}\\enrolment.json`))).toBe(false)

  const written = await run('reg', 'query', `${KEY}\\Services\\MusterAgent`)
  expect(written).toContain(
    `"${PROGRAM}\\node.exe" --no-opt --no-maglev --no-sparkplug --max-semi-space-size=1 --optimize-for-size --expose-gc "${PROGRAM}\\agent.mjs" service --data "${DATA}"`,
  )
  expect(written).toMatch(/Start\s+REG_DWORD\s+0x2\b/)
  expect(written).toMatch(/DelayedAutostart\s+REG_DWORD\s+0x1\b/i)
  expect(written).toMatch(/ObjectName\s+REG_SZ\s+LocalSystem/)
  expect(written).toMatch(/Description\s+REG_SZ\s+Connects this machine/)

  await run('net', 'stop', 'MusterAgent')
  await expect.poll(listAgents).toEqual([])
  expect(readLog()).toContain('"why":"the service was stopped"')
  await server.until(() => server.socket === undefined)

  // Windows starts delayed services two minutes after the others.
  await run('reg', 'add', `${KEY}\\Control`, '/v', 'AutoStartDelay', '/t', 'REG_DWORD', '/d', '500', '/f')
  await machine.reboot()
  await server.untilUp(2)
})

test('uninstalling leaves no service, process, data or program behind', async () => {
  const output = await run(...agent, 'uninstall')
  expect(output).toContain('The service MusterAgent was stopped and removed.')
  expect(listAgents()).toEqual([])
  expect(existsSync(machine.hostPath(DATA))).toBe(false)
  expect(await machine.run(['reg', 'query', `${KEY}\\Services\\MusterAgent`])).toBe(1)
  expect(readdirSync(machine.hostPath(PROGRAM)).toSorted()).toEqual(['agent.mjs', 'koffi.node', 'node.exe'])
})
