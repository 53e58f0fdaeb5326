import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInstaller, listAgents } from '@muster/contract/api/agents'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { LONG_PATIENCE_MS } from '../../tools/patience.ts'
import { buildPackage, buildPrograms } from '../support/build.ts'
import { addClient } from '../support/seed.ts'
import { signIn } from '../support/sign-in.ts'
import { startServer } from '../support/start-server.ts'
import { type OwnMachine, startPlainMachine } from '../support/systemd-machine.ts'

const PATIENCE = { timeout: LONG_PATIENCE_MS, interval: 200 }
/** The rpm of Debian keeps its database in the folder of the user, which this machine shares. */
const RPM = 'rpm --dbpath /var/lib/rpm'
const FORMATS = {
  deb: { install: 'dpkg -i', remove: 'dpkg --remove muster-agent' },
  rpm: { install: `${RPM} -U --nodeps`, remove: `${RPM} --erase muster-agent` },
} as const
type Format = keyof typeof FORMATS
let folder: string

beforeAll(() => {
  buildPrograms()
  folder = mkdtempSync(join(tmpdir(), 'muster-without-systemd-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function givenMachine() {
  const resources = new AsyncDisposableStack()
  onTestFinished(() => resources.disposeAsync())
  const server = resources.use(await startServer())
  const machine = resources.use(await startPlainMachine())
  const admin = await signIn(server.url, server.admin)
  const { id, sites } = await addClient(admin, 'Acme')
  const { token, cmd: line } = await admin.call(createInstaller, {
    body: { client: id, site: sites[0]?.id ?? 0, agenttype: 'server', plat: 'linux' },
  })
  const untilShown = async (connected: boolean) =>
    vi.waitFor(
      async () => expect(await admin.call(listAgents, { query: {} })).toMatchObject([{ connected }]),
      PATIENCE,
    )
  return { server, machine, token, line, untilShown }
}

/** The package is installed and the machine enrolled. No agent runs yet. */
async function givenPackage(format: Format, version?: string) {
  const given = await givenMachine()
  const { server, machine, token } = given
  const file = buildPackage(format, folder, version)
  expect(await machine.run(`${FORMATS[format].install} ${file}`)).toMatchObject({ code: 0 })
  const enrol = `MUSTER_ENROL_TOKEN=${token} muster-agent enrol --server ${server.url}`
  expect(await machine.run(enrol)).toMatchObject({ code: 0 })
  return given
}

/** Starts a line that goes on, and returns its process. */
async function start(machine: OwnMachine, line: string): Promise<string> {
  const { output } = await machine.run(`setsid ${line} </dev/null >/dev/null 2>&1 & echo $!`)
  return output.trim()
}

async function isAlive(machine: OwnMachine, pid: string): Promise<boolean> {
  return (await machine.run(`grep -q '^State:.[^Z]' /proc/${pid}/status`)).code === 0
}

const findAgents = async (machine: OwnMachine) =>
  (await machine.run("pgrep -f '^/opt/muster-agent/node .*mjs run'")).output
    .trim()
    .split('\n')
    .filter(Boolean)

test.each(['deb', 'rpm'] as const)(
  'removing the %s ends every agent of it, also one that is started again at once, and nothing else',
  async (format) => {
    const { server, machine, untilShown } = await givenPackage(format)
    await start(machine, "sh -c 'while :; do muster-agent run; done'")
    await untilShown(true)
    const node = '/opt/muster-agent/node'
    const wait = 'setInterval(() => {}, 1000)'
    await machine.run(`mkdir /opt/other; echo '${wait}' > /opt/other/agent.mjs
      echo 'process.on("SIGTERM", () => {}); ${wait}' > /opt/muster-agent/package/deaf.mjs
      cp ${node} /opt/other/node`)
    const deaf = await start(machine, `${node} /opt/muster-agent/package/deaf.mjs run --data /opt/deaf`)
    const others = await Promise.all([
      start(machine, '/opt/other/node /opt/other/agent.mjs run'),
      start(machine, "sh -c 'sleep 1000; : /opt/muster-agent/muster-agent.mjs run'"),
      // Like a container with its own agent, seen from its host.
      start(
        machine,
        `unshare --mount sh -c 'mount -t tmpfs root /mnt; cd /mnt
          for one in opt usr lib lib64 proc dev; do mkdir $one; mount --rbind /$one $one; done
          exec chroot . ${node} /opt/muster-agent/package/deaf.mjs run'`,
      ),
    ])
    await vi.waitFor(async () => expect(await findAgents(machine)).toHaveLength(3), PATIENCE)
    // As if the number of the agent now belonged to another program.
    await machine.run(`sed -i 's/"pid":[0-9]*/"pid":${others[0]}/' /var/lib/muster-agent/status.json`)

    const removed = await machine.run(FORMATS[format].remove)
    expect(removed.output).not.toMatch(/warning|No such file/)
    expect(removed.code).toBe(0)
    await untilShown(false)
    expect(await findAgents(machine)).toEqual([others[2]])
    expect(await isAlive(machine, deaf)).toBe(false)
    expect(await Promise.all(others.map((pid) => isAlive(machine, pid)))).toEqual([true, true, true])
    expect((await machine.run('ls /opt/muster-agent/* /usr/bin/muster-agent')).output).not.toMatch(
      /node|agent\.mjs/,
    )
    server.expectCleanLog()
  },
)

test.each(['deb', 'rpm'] as const)(
  'upgrading the %s restarts an agent in its own process, and names one that cannot be restarted',
  async (format) => {
    const { server, machine, untilShown } = await givenPackage(format, '0.0.9')
    const agent = await start(machine, 'muster-agent run')
    await untilShown(true)
    await machine.run("echo 'setInterval(() => {}, 1000)' > /opt/muster-agent/package/old.mjs")
    const program = '/opt/muster-agent/package/old.mjs run --data /opt/old'
    const old = await start(machine, `/opt/muster-agent/node ${program}`)
    await vi.waitFor(async () => expect(await findAgents(machine)).toHaveLength(2), PATIENCE)

    const upgraded = await machine.run(`${FORMATS[format].install} ${buildPackage(format, folder)}`)
    expect(upgraded.code).toBe(0)
    expect(upgraded.output).toContain(
      `The running agent, process ${agent}, restarts with the installed version.`,
    )
    expect(upgraded.output).toContain(`The version before still runs as process ${old}.`)
    await vi.waitFor(
      async () =>
        expect((await machine.run(`readlink /proc/${agent}/exe`)).output).toBe('/opt/muster-agent/node\n'),
      PATIENCE,
    )
    await untilShown(true)
    expect(await isAlive(machine, old)).toBe(true)
    server.expectCleanLog()
  },
)

const ENROLMENT = '/var/lib/muster-agent/enrolment.json'

test.each(['deb', 'rpm'] as const)(
  'server and token that the %s was installed with are used by the first start, by hand or by the systemd of the image',
  async (format) => {
    const { server, machine, token, untilShown } = await givenMachine()
    const given = `MUSTER_SERVER=${server.url} MUSTER_ENROL_TOKEN=${token}`
    const { install } = FORMATS[format]
    const installed = await machine.run(`${given} ${install} ${buildPackage(format, folder)}`)
    expect(installed.output).toContain(
      'The service muster-agent.service is enabled and starts when systemd does. Without systemd, start the agent with your own service manager: muster-agent run\n',
    )
    expect(installed.code).toBe(0)
    expect((await machine.run(`stat -c %a ${ENROLMENT}`)).output).toBe('600\n')
    if (format === 'deb') {
      await start(machine, 'muster-agent run')
    } else {
      await machine.powerOff()
      await machine.powerOn('systemd')
      expect((await machine.run('systemctl is-enabled muster-agent')).output).toBe('enabled\n')
    }
    await untilShown(true)
    expect((await machine.run(`ls ${ENROLMENT}`)).code).not.toBe(0)
    server.expectCleanLog()
  },
)

test('a package that is installed again with another server leaves an enrolled machine with its own', async () => {
  const { machine, token, untilShown } = await givenPackage('deb')
  await start(machine, 'muster-agent run')
  await untilShown(true)
  const readIdentity = async () => (await machine.run('cat /var/lib/muster-agent/agent.json')).output
  const identity = await readIdentity()
  const given = `MUSTER_SERVER=http://evil.example MUSTER_ENROL_TOKEN=${token}`
  const again = await machine.run(`${given} ${FORMATS.deb.install} ${buildPackage('deb', folder)}`)
  expect(again.output).toContain(
    'This machine is already enrolled, so the given server and token were not used.',
  )
  expect(again.code).toBe(0)
  expect((await machine.run(`ls ${ENROLMENT}`)).code).not.toBe(0)
  expect(await readIdentity()).toBe(identity)
  await untilShown(true)
})

test('the installer restarts an agent that was started by hand, and ends it when it removes the files', async () => {
  const { server, machine, line, untilShown } = await givenMachine()
  const { output } = await machine.run(line)
  const [, command = ''] = /start it with:\nmuster: {3}(.*)\n/.exec(output) ?? []
  const agent = await start(machine, command)
  await untilShown(true)
  expect((await machine.run(line)).output).toContain(
    `The running agent, process ${agent}, restarts with the installed version.`,
  )
  await untilShown(true)
  expect(await machine.run(`${line} -s -- --uninstall`)).toEqual({ code: 0, output: 'muster: removed\n' })
  expect(await isAlive(machine, agent)).toBe(false)
  await untilShown(false)
  expect((await machine.run('ls -d /opt/muster-agent /var/lib/muster-agent 2>/dev/null')).output).toBe('')
  server.expectCleanLog()
})
