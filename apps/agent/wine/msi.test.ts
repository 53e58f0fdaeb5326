import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { AgentManifest, UpdateReport } from '@muster/contract/agent/updates'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import { manifestOf, NEXT_VERSION, programOf, serveProgram } from '../src/testing/given-installed.ts'
import { GOOD_TOKEN, TestServer } from '../src/testing/test-server.ts'
import { AGENT_VERSION } from '../src/version.ts'
import { WineMachine, windowsPath } from './wine-machine.ts'
import { LONG_PATIENCE_MS, PATIENCE_MS } from '../../../tools/patience.ts'

const PROGRAM = 'C:\\Program Files\\Muster Agent'
const DATA = 'C:\\ProgramData\\Muster Agent'
const AFTER_CUT = '99.0.2'
/** A start in Wine takes seconds. */
const root = join(import.meta.dirname, '../../..')
let machine: WineMachine
let server: TestServer
let url: string
/** The package that is installed, for its removal. */
let installed: string
let identity: string

beforeAll(async () => {
  machine = await WineMachine.start()
  machine.keepSignedIn()
  server = new TestServer()
  url = `http://127.0.0.1:${await server.listen()}`
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await machine[Symbol.asyncDispose]()
})

/** Builds the package as the server does. Another version only has another number. */
function buildPackage(version?: string): string {
  const out = join(machine.folder, version ?? 'current')
  mkdirSync(out, { recursive: true })
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
const logTo = (name: string) => ['/l*v', windowsPath(log(name))]
const read = (path: string) => readFileSync(machine.hostPath(path), 'utf8')
const listVersions = () => readdirSync(machine.hostPath(`${PROGRAM}\\versions`)).toSorted()
const lastVersion = () => server.answers.at(-1)?.agent_version

function updateReports() {
  return server.reports.filter((report): report is z.infer<typeof UpdateReport> => report.kind === 'update')
}

/** The order of the server. */
function order(program: string, more: Partial<AgentManifest>): void {
  server.command(server.sign('update-agent', manifestOf(program, more)))
}

/** The order of the server, and its outcome. */
async function update(program: string, more: Partial<AgentManifest>) {
  serveProgram(server, program, more.version)
  const from = updateReports().length
  order(program, more)
  const states = ['confirmed', 'failed', 'rolled-back']
  return server.until(
    () =>
      updateReports()
        .slice(from)
        .find(({ state }) => states.includes(state)),
    PATIENCE_MS,
  )
}

/** Files of the machine with the token in UTF-8 or UTF-16, among them the exported registry. */
async function findToken(): Promise<string[]> {
  for (const hive of ['HKLM\\SOFTWARE', 'HKLM\\SYSTEM', 'HKCU']) {
    const file = windowsPath(log(`${hive.replace('\\', '-')}.reg`))
    expect(await machine.run(['reg', 'export', hive, file, '/y'])).toBe(0)
  }
  const pattern = `${GOOD_TOKEN}|${GOOD_TOKEN.split('').join(String.raw`\x00`)}`
  const { status, stdout } = spawnSync('grep', ['-rlaP', pattern, machine.folder], { encoding: 'utf8' })
  expect(status).toBeLessThan(2)
  return stdout.split('\n').filter(Boolean)
}

/** Wine removes a service and a folder a while after their last program has ended. */
const expectNothingLeft = async () => {
  const left = () => [PROGRAM, DATA].filter((folder) => existsSync(machine.hostPath(folder)))
  await expect.poll(left).toEqual([])
  const service = 'HKLM\\SYSTEM\\CurrentControlSet\\Services\\MusterAgent'
  await expect.poll(() => machine.run(['reg', 'query', service])).toBe(1)
}

test('a value that would make the quotation mark after it part of it installs nothing', async () => {
  installed = buildPackage()
  const given = [`SERVER=${url}\\`, `TOKEN=${GOOD_TOKEN}`]
  // 1603, of which Linux keeps one byte: the condition of the package is not met.
  expect(await machine.run(['msiexec', '/i', installed, '/qn', ...given, ...logTo('unsafe.log')])).toBe(67)
  expect(readFileSync(log('unsafe.log'), 'utf8')).not.toContain('InstallFiles')
  // Wine shows all properties after a failure, also those of MsiHiddenProperties.
  rmSync(log('unsafe.log'))
  await expectNothingLeft()
})

test('a failed installation is undone, and leaves the token nowhere', async () => {
  const given = ['SERVER=no-address', `TOKEN=${GOOD_TOKEN}`]
  expect(await machine.run(['msiexec', '/i', installed, '/qn', ...given, ...logTo('failed.log')])).not.toBe(0)
  const text = readFileSync(log('failed.log'), 'utf8')
  expect(text).toContain('SERVER = no-address')
  // As above.
  writeFileSync(log('failed.log'), text.replace(/^Property\(S\): TOKEN = .*$/m, ''))
  expect(await findToken()).toEqual([])
  // Windows undoes the last step first. Wine removes the files before the action that would remove the versions.
  expect(readdirSync(machine.hostPath(PROGRAM)).toSorted()).toEqual(['current.json', 'versions'])
  rmSync(machine.hostPath(PROGRAM), { recursive: true })
  await expectNothingLeft()
})

test('an MSI installs, and keeps the token out of logs and registry', async () => {
  const given = [`SERVER=${url}`, `TOKEN=${GOOD_TOKEN}`]
  expect(await machine.run(['msiexec', '/i', installed, '/qn', ...given, ...logTo('install.log')])).toBe(0)
  await server.untilUp(1)
  identity = read(`${DATA}\\agent.json`)
  expect(identity).toContain(url)
  expect(existsSync(machine.hostPath(`${DATA}\\enrolment.json`))).toBe(false)
  expect(await findToken()).toEqual([])
  expect(server.answers[0]).toMatchObject({ agent_version: AGENT_VERSION, can_update: true })
  expect(listVersions()).toEqual([AGENT_VERSION])
})

test('a repair with another server leaves the identity, and the agent runs', async () => {
  const { links } = server
  const given = ['SERVER=http://127.0.0.1:9', 'TOKEN=another', 'CAFILE=C:\\another.pem']
  expect(
    await machine.run([
      'msiexec',
      '/i',
      installed,
      '/qn',
      'REINSTALL=ALL',
      'REINSTALLMODE=amus',
      ...given,
      ...logTo('repair.log'),
    ]),
  ).toBe(0)
  expect(readFileSync(log('repair.log'), 'utf8')).toContain('SERVER = http://127.0.0.1:9')
  await server.untilUp(links + 1)
  expect(read(`${DATA}\\agent.json`)).toBe(identity)
  await expect.poll(listAgents).toHaveLength(1)
})

test('an update of the agent restarts its service', async () => {
  expect(await update(programOf(NEXT_VERSION), {})).toMatchObject({ state: 'confirmed', reason: null })
  expect(lastVersion()).toBe(NEXT_VERSION)
  await expect.poll(listAgents).toHaveLength(1)
  expect(listVersions()).toEqual([AGENT_VERSION, NEXT_VERSION])
})

test.each([
  [
    'ends before it is a service',
    'throw new Error("bad version")',
    { trial_seconds: 60 },
    /^It ended 3 times before/,
  ],
  [
    'is not acknowledged',
    programOf('99.0.1'),
    { trial_seconds: 10 },
    /^It was not connected and acknowledged within 10 sec/,
  ],
])('a version that %s is rolled back, and the service runs', async (_, program, trial, reason) => {
  const isSilent = program.startsWith('throw')
  server.acknowledges = isSilent
  const outcome = update(program, { version: '99.0.1', ...trial })
  if (!isSilent) {
    await server.until(() => lastVersion() === '99.0.1', LONG_PATIENCE_MS)
    await server.until(() => lastVersion() === NEXT_VERSION, LONG_PATIENCE_MS)
    server.acknowledges = true
  }
  expect(await outcome).toMatchObject({
    version: '99.0.1',
    state: 'rolled-back',
    reason: expect.stringMatching(reason),
  })
  expect(lastVersion()).toBe(NEXT_VERSION)
  await expect.poll(listVersions).toEqual([NEXT_VERSION])
  await expect.poll(listAgents).toHaveLength(1)
})

test('a power cut during an update leaves a working agent', async () => {
  // Windows starts delayed services two minutes after the others.
  const control = 'HKLM\\SYSTEM\\CurrentControlSet\\Control'
  await machine.run(['reg', 'add', control, '/v', 'AutoStartDelay', '/t', 'REG_DWORD', '/d', '500', '/f'])
  const powerCut = async () => {
    const { links } = server
    await machine.reboot()
    return server.until(() => server.links > links && server.socket !== undefined, LONG_PATIENCE_MS)
  }
  const program = programOf(AFTER_CUT)
  const hasBegun = Promise.withResolvers<void>()
  server.onRequest = (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    response.write(gzipSync(program).subarray(0, 100_000), () => hasBegun.resolve())
  }
  order(program, { version: AFTER_CUT })
  await hasBegun.promise
  await powerCut()
  expect(lastVersion()).toBe(NEXT_VERSION)

  serveProgram(server, program, AFTER_CUT)
  order(program, { version: AFTER_CUT })
  await expect
    .poll(() => read(`${PROGRAM}\\current.json`), { interval: 1, timeout: LONG_PATIENCE_MS })
    .toContain(AFTER_CUT)
  await powerCut()
  await server.until(
    () => updateReports().some(({ version, state }) => version === AFTER_CUT && state === 'confirmed'),
    PATIENCE_MS,
  )
  expect(lastVersion()).toBe(AFTER_CUT)
  await expect.poll(listVersions).toEqual([NEXT_VERSION, AFTER_CUT])
})

test('an older package on top leaves the newer version, and the same identity', async () => {
  const next = buildPackage('0.2.0')
  const { links } = server
  const upgrade = ['msiexec', '/i', next, '/qn', ...logTo('upgrade.log')].join(' ')
  // In place of a property that Windows sets and Wine does not.
  expect(await machine.run(['cmd', '/c', `set MUSTER_UPGRADE=1&& ${upgrade}`])).toBe(0)
  installed = next
  await server.untilUp(links + 1)
  expect(lastVersion()).toBe(AFTER_CUT)
  expect(read(`${DATA}\\agent.json`)).toBe(identity)
  // The agent of before may still be ending, and a reader of facts may run beside the new one.
  await expect.poll(listAgents).toHaveLength(1)
})

test('removing the package leaves nothing of it or of its updates', async () => {
  expect(await machine.run(['msiexec', '/x', installed, '/qn', ...logTo('remove.log')])).toBe(0)
  await expect.poll(listAgents).toEqual([])
  await expectNothingLeft()
})

test('removing the machine in the console removes the package', async () => {
  const { links } = server
  const given = [`SERVER=${url}`, `TOKEN=${GOOD_TOKEN}`]
  expect(await machine.run(['msiexec', '/i', installed, '/qn', ...given])).toBe(0)
  await server.untilUp(links + 1)
  server.command(server.sign('uninstall', {}))
  await expect.poll(listAgents, { timeout: LONG_PATIENCE_MS }).toEqual([])
  await expectNothingLeft()
})
