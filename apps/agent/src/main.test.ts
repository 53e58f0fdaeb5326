import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { runProgram, startProgram } from './testing/agent-process.ts'
import { isAlive } from './testing/is-alive.ts'
import { givenFolder, givenServer } from './testing/given.ts'
import { GOOD_TOKEN, TestServer } from './testing/test-server.ts'
import { otherAuthority, testAuthority, testTls } from './testing/tls-fixture.ts'
import { LONG_PATIENCE_MS } from '../../../tools/patience.ts'

// Each test starts programs, which takes a while beside other tests.

const enrol = (url: string, folder: string, ...more: string[]) =>
  runProgram('enrol', '--server', url, '--token', GOOD_TOKEN, '--data', folder, ...more)

async function givenRunning(folder = givenFolder()) {
  const { server, url, port } = await givenServer()
  const up = server.untilUp()
  const program = startProgram('enrol', '--server', url, '--token', GOOD_TOKEN, '--data', folder, '--run')
  await up
  return { server, url, port, folder, program }
}

test('enrolment creates a private key file and prints the result', async () => {
  const { server, url } = await givenServer()
  const folder = join(givenFolder(), 'new')
  const { code, stdout, stderr } = await enrol(url, folder)
  const [agentId] = server.agents.keys()
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: `This machine is enrolled at ${url} as ${agentId}.\n`,
    stderr: '',
  })
  expect(statSync(join(folder, 'key.pem')).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test('a data folder that is open to others is closed, with one line', async () => {
  const { server, url } = await givenServer()
  const folder = givenFolder()
  chmodSync(folder, 0o755)
  const note = `muster-agent: ${folder}: removed access of other users to the data folder\n`
  await expect(enrol(url, folder)).resolves.toMatchObject({ code: 0, stderr: note })
  await expect(enrol(url, folder)).resolves.toMatchObject({ code: 0, stderr: '' })
  const up = server.untilUp()
  const first = startProgram('run', '--data', folder)
  await up
  first.child.kill('SIGTERM')
  await first.ended

  // As left by an older version without these permissions.
  chmodSync(folder, 0o755)
  chmodSync(join(folder, 'state.db'), 0o644)
  const upAgain = server.untilUp()
  const second = startProgram('run', '--data', folder)
  await upAgain
  // The running agent replaces files: one that is listed may be gone.
  const found = ['.', ...readdirSync(folder)].flatMap(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false }) ?? [],
  )
  expect(new Set(found.map(({ mode }) => mode & 0o077))).toEqual(new Set([0]))
  expect(second.stderr().match(/removed access of other users/g)).toHaveLength(1)
})

test('a folder that other programs use is refused as data folder with one line', async () => {
  const { url } = await givenServer()
  const folder = givenFolder()
  writeFileSync(join(folder, 'of-another-program'), '')
  chmodSync(folder, 0o755)
  await expect(enrol(url, folder)).resolves.toMatchObject({
    code: 1,
    stderr: `muster-agent: the data folder ${folder} is open to other users and contains other files. Choose another folder, or run chmod 700 ${folder}\n`,
  })
  expect(statSync(folder).mode & 0o777).toBe(0o755)
})

test('commands get the umask that the agent was started with', async () => {
  const { server } = await givenRunning()
  for (const number of [1, 2, 3]) {
    server.runShell(number, 'umask')
    await server.result(number)
    expect(server.outputOf(number)).toBe('0022\n')
  }
})

test('enrolling again keeps the key and the machine', async () => {
  const { server, url } = await givenServer()
  const folder = givenFolder()
  await enrol(url, folder)
  const key = readFileSync(join(folder, 'key.pem'), 'utf8')
  await expect(enrol(url, folder)).resolves.toMatchObject({
    code: 0,
    stdout: expect.stringContaining('enrolled again'),
  })
  expect(readFileSync(join(folder, 'key.pem'), 'utf8')).toBe(key)
  expect(server.agents.size).toBe(1)
  await enrol(url, givenFolder())
  expect(server.agents.size).toBe(2)
})

test('an enrolment error is printed as one line', async () => {
  const { url } = await givenServer()
  const folder = givenFolder()
  const failure = async (...args: string[]) => {
    const { code, stderr } = await runProgram('enrol', '--data', folder, ...args)
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1])
    return stderr.trim()
  }
  const token = ['--token', 'another-token-that-is-long']
  await expect(failure('--server', url, ...token)).resolves.toBe(
    'muster-agent: the server refused to enrol this machine: This enrolment token has expired.',
  )
  await expect(failure('--server', 'http://127.0.0.1:1', ...token)).resolves.toBe(
    'muster-agent: failed to reach the server 127.0.0.1:1: connection refused',
  )
  await expect(failure('--server', `${url}/elsewhere`, ...token)).resolves.toMatch(
    /returned status 404 and is not a Muster server/,
  )
  await expect(failure('--server', 'muster', ...token)).resolves.toMatch(/"muster" is not a valid address/)
  await expect(failure(...token)).resolves.toMatch(/--server is missing/)
  await expect(failure('--server', url)).resolves.toMatch(/MUSTER_ENROL_TOKEN is missing/)
  await expect(failure('--server', url, '--token', 'short')).resolves.toMatch(/token is incomplete/)
  await expect(failure('--server', url.replace('http:', 'https:'), ...token)).resolves.toMatch(
    /does not use TLS/,
  )
  await expect(failure('--server', url, ...token, '--wrong')).resolves.toMatch(/Unknown option '--wrong'/)
})

test('the token can come from the environment, which is not passed on', async () => {
  const { server, url } = await givenServer()
  const folder = givenFolder()
  vi.stubEnv('MUSTER_ENROL_TOKEN', GOOD_TOKEN)
  onTestFinished(() => void vi.unstubAllEnvs())
  const up = server.untilUp()
  startProgram('enrol', '--server', url, '--data', folder, '--run')
  await up
  server.runShell(1, 'env | grep -c MUSTER_ENROL_TOKEN')
  await server.result(1)
  expect(server.outputOf(1)).toBe('0\n')
})

test('only the given CA is trusted', async () => {
  await using server = new TestServer(testTls)
  const url = `https://127.0.0.1:${await server.listen()}`
  const folder = givenFolder()
  const good = join(folder, 'good.pem')
  const other = join(folder, 'other.pem')
  const none = join(folder, 'none.pem')
  writeFileSync(good, testAuthority)
  writeFileSync(other, otherAuthority)
  writeFileSync(none, 'nothing of the kind')
  const untrusted = {
    code: 1,
    stderr: `muster-agent: ${new URL(url).host} presents a certificate that this machine does not trust: it comes from an authority that this machine does not know. Use --ca with the PEM file of its authority\n`,
  }
  await expect(enrol(url, folder)).resolves.toMatchObject(untrusted)
  await expect(enrol(url, folder, '--ca', other)).resolves.toMatchObject(untrusted)
  await expect(enrol(url, folder, '--ca', none)).resolves.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('contains no PEM certificate'),
  })
  await expect(enrol(url, folder, '--ca', good)).resolves.toMatchObject({ code: 0 })
  const up = server.untilUp()
  startProgram('run', '--data', folder)
  await up
})

test('an agent that is not enrolled says what to do', async () => {
  const folder = givenFolder()
  const { code, stderr } = await runProgram('run', '--data', folder)
  expect([code, stderr]).toEqual([
    1,
    `muster-agent: no agent is enrolled in ${folder}. Run "enrol --server URL --token TOKEN" first\n`,
  ])
  writeFileSync(join(folder, 'agent.json'), '{"half":')
  await expect(runProgram('run', '--data', folder)).resolves.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/agent\.json is damaged. Enrol this machine again/),
  })
})

test('facts of this machine are reported at once', async () => {
  const { server } = await givenRunning()
  const facts = () =>
    Object.assign(
      {},
      ...server.reports.map((report) => (report.kind === 'facts' ? report.facts : {})),
    ) as Record<string, unknown>
  await server.until(() => facts().cpus !== undefined)
  expect(facts()).toMatchObject({
    hostname: expect.any(String),
    platform: 'linux',
    os_name: expect.stringMatching(/./),
    agent_version: '0.1.0',
    problems: [],
    disks: expect.arrayContaining([expect.objectContaining({ mount: '/' })]),
    cpus: expect.arrayContaining([expect.stringMatching(/./)]),
  })
})

test('only one agent runs with a data folder, and status shows its state', async () => {
  const { server, folder, program } = await givenRunning()
  await expect(runProgram('run', '--data', folder)).resolves.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`another agent is running with ${folder}`),
  })
  const status = await runProgram('status', '--data', folder)
  expect(status).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/running {3}yes, process \d+\nlink {6}up since/),
  })
  await server[Symbol.asyncDispose]()
  await expect
    .poll(async () => (await runProgram('status', '--data', folder)).stdout, { timeout: LONG_PATIENCE_MS })
    .toMatch(/link {6}down since/)
  program.child.kill('SIGTERM')
  await expect(program.ended).resolves.toMatchObject({ code: 0 })
  await expect(runProgram('status', '--data', folder)).resolves.toMatchObject({
    code: 3,
    stdout: expect.stringContaining('running   no'),
  })
})

test('after a kill, the agent reconnects, ends its leftover processes and reports their runs', async () => {
  const { server, folder, program } = await givenRunning()
  const pidFile = join(folder, 'pid')
  server.runShell(1, `echo $$ > ${pidFile}; sleep 300`)
  await server.until(() => server.reportsOf(1).some(({ kind }) => kind === 'started'))
  await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8')).toMatch(/\d/)
  program.child.kill('SIGKILL')
  await program.ended
  const up = server.untilUp()
  startProgram('run', '--data', folder)
  await up
  await expect(server.result(1)).resolves.toMatchObject({
    outcome: 'failed',
    reason: 'The agent restarted while this ran.',
  })
  expect(isAlive(Number(readFileSync(pidFile, 'utf8')))).toBe(false)
})

test('a stopped agent ends its runs and reports their results first', async () => {
  const { server, program } = await givenRunning()
  server.runShell(1, 'echo begun; sleep 300')
  await server.until(() => server.outputOf(1) === 'begun\n')
  program.child.kill('SIGTERM')
  await expect(program.ended).resolves.toMatchObject({ code: 0 })
  await expect(server.result(1)).resolves.toMatchObject({
    outcome: 'failed',
    reason: 'The agent was stopped while this ran.',
  })
})

test("uninstalling removes the agent's files and nothing else", async () => {
  const { folder, program } = await givenRunning()
  program.child.kill('SIGTERM')
  await program.ended
  writeFileSync(join(folder, 'holiday.jpg'), '')
  // As the installer stores it.
  writeFileSync(join(folder, 'server-ca.pem'), '')
  // As an agent that runs from its sources without a cache to share keeps it.
  mkdirSync(join(folder, 'code-cache/0.1.0'), { recursive: true })
  await expect(runProgram('uninstall', '--data', folder)).resolves.toMatchObject({ code: 0 })
  expect(readdirSync(folder)).toEqual(['holiday.jpg'])
})

test('uninstalling ends an agent that was started by hand, and no other', async () => {
  const removed = await givenRunning()
  const kept = await givenRunning()
  // From an earlier process; the number now belongs to another agent.
  writeFileSync(
    join(removed.folder, 'status.json'),
    JSON.stringify({ pid: kept.program.child.pid, since: '', link: { state: 'connecting' } }),
  )
  const { folder } = removed
  await expect(runProgram('uninstall', '--data', folder)).resolves.toMatchObject({ code: 0 })
  await expect(removed.program.ended).resolves.toMatchObject({ code: 0 })
  expect(existsSync(folder)).toBe(false)
  kept.server.runShell(1, 'echo here')
  await kept.server.result(1)
  expect(kept.server.outputOf(1)).toBe('here\n')
})

test('a server uninstalls the agent', async () => {
  const parent = givenFolder()
  const folder = join(parent, 'agent')
  mkdirSync(folder)
  const { server, program } = await givenRunning(folder)
  server.command(server.sign('uninstall', {}))
  await expect(program.ended).resolves.toMatchObject({ code: 0 })
  await expect.poll(() => existsSync(folder), { timeout: LONG_PATIENCE_MS }).toBe(false)
})

test('the log is JSON lines, and its level can be set', async () => {
  const { program } = await givenRunning()
  await expect.poll(() => program.stderr()).toContain('link up')
  const lines = program
    .stderr()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { level: string })
  expect(lines.map(({ level }) => level)).not.toContain('warn')
})

test('--help prints the usage', async () => {
  await expect(runProgram('--help')).resolves.toMatchObject({
    code: 0,
    stdout: expect.stringContaining('enrol --server URL'),
  })
  await expect(runProgram('dance')).resolves.toMatchObject({
    code: 2,
    stdout: expect.stringContaining('enrol --server URL'),
  })
})
