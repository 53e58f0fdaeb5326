import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { GOOD_TOKEN, TestServer } from '../src/testing/test-server.ts'
import { WineMachine, windowsPath } from './wine-machine.ts'

const SLOW = { timeout: 240_000 }
const PROGRAM = 'C:\\Program Files\\Muster Agent'
const DATA = 'C:\\ProgramData\\Muster Agent'
const root = join(import.meta.dirname, '../../..')
let machine: WineMachine
let server: TestServer
let url: string

beforeAll(async () => {
  machine = await WineMachine.start()
  machine.keepSignedIn()
  server = new TestServer()
  url = `http://127.0.0.1:${await server.listen()}`
}, 120_000)
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await machine[Symbol.asyncDispose]()
})

/** Builds the package as the server does. Another version only has another number. */
function buildPackage(version?: string): string {
  const out = join(machine.folder, version ?? 'current')
  mkdirSync(out)
  const args = ['--platform', 'windows', '--arch', 'x64', '--format', 'msi', '--fast', '--out', out]
  const printed = execFileSync(process.execPath, [join(root, 'deploy/packages.mjs'), ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...(version === undefined ? {} : { MUSTER_PACKAGE_VERSION: version }) },
  })
  // The contract of the program.
  const { file } = JSON.parse(printed.trim().split('\n').at(-1) ?? '') as { file: string }
  return windowsPath(file)
}

const listAgents = () => machine.listProcesses().filter((line) => line.includes('agent.mjs'))
const log = (name: string) => join(machine.folder, name)
const read = (path: string) => readFileSync(machine.hostPath(path), 'utf8')

test(
  'an MSI installs, keeps the token out of logs and registry, is upgraded, and leaves nothing',
  SLOW,
  async () => {
    const first = buildPackage()
    const given = [`SERVER=${url}`, `TOKEN=${GOOD_TOKEN}`]
    const logTo = (name: string) => ['/l*v', windowsPath(log(name))]
    expect(await machine.run(['msiexec', '/i', first, '/qn', ...given, ...logTo('install.log')])).toBe(0)
    await server.untilUp(1)
    const identity = read(`${DATA}\\agent.json`)
    expect(identity).toContain(url)
    expect(
      readFileSync(log('install.log'), 'utf16le') + readFileSync(log('install.log'), 'utf8'),
    ).not.toContain(GOOD_TOKEN)
    expect(existsSync(machine.hostPath(`${DATA}\\enrolment.json`))).toBe(false)
    expect(await machine.run(['reg', 'query', 'HKLM\\SOFTWARE', '/s', '/f', GOOD_TOKEN])).not.toBe(0)

    const next = buildPackage('0.2.0')
    const upgrade = ['msiexec', '/i', next, '/qn', ...logTo('upgrade.log')].join(' ')
    // In place of a property that Windows sets and Wine does not.
    expect(await machine.run(['cmd', '/c', `set MUSTER_UPGRADE=1&& ${upgrade}`])).toBe(0)
    await server.untilUp(2)
    expect(read(`${DATA}\\agent.json`)).toBe(identity)
    expect(listAgents()).toHaveLength(1)

    expect(await machine.run(['msiexec', '/x', next, '/qn', ...logTo('remove.log')])).toBe(0)
    await expect.poll(listAgents, { timeout: 20_000 }).toEqual([])
    expect([PROGRAM, DATA].filter((folder) => existsSync(machine.hostPath(folder)))).toEqual([])
    expect(
      await machine.run(['reg', 'query', 'HKLM\\SYSTEM\\CurrentControlSet\\Services\\MusterAgent']),
    ).toBe(1)
  },
)
