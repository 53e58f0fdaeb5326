import { createInstaller, listAgents, deleteAgent } from '@muster/contract/api/agents'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { buildPrograms } from '../support/build.ts'
import { findTrouble } from '../support/clean-log.ts'
import { ToolWindow } from '../faults/tool-window.ts'
import { addClient } from '../support/seed.ts'
import { type Session, signIn } from '../support/sign-in.ts'
import { startServer, type TestServer } from '../support/start-server.ts'
import { startSystemdMachine, type OwnMachine } from '../support/systemd-machine.ts'

const UNIT = '/etc/systemd/system/muster-agent.service'
const PROGRAM = '/opt/muster-agent'
const DATA = '/var/lib/muster-agent'
const LOG = '/var/lib/muster-agent.log'
const TROUBLE_OF_RESTARTS = /link|connect/

let server: TestServer
let machine: OwnMachine
let admin: Session
/** The line from the Install Agent dialog. */
let line: string
let resources: AsyncDisposableStack

beforeAll(buildPrograms, 180_000)

beforeEach(async () => {
  resources = new AsyncDisposableStack()
  server = resources.use(await startServer())
  machine = resources.use(await startSystemdMachine())
  admin = await signIn(server.url, server.admin)
  const { id, sites } = await addClient(admin, 'Acme')
  const [site] = sites
  const installer = await admin.call(createInstaller, {
    body: { client: id, site: site?.id ?? 0, agenttype: 'server', plat: 'linux' },
  })
  line = installer.cmd
  // No journal runs on this machine unless it is started.
  const keepLog = `[Service]\\nStandardOutput=append:${LOG}\\nStandardError=append:${LOG}\\n`
  await machine.run(
    `mkdir /etc/systemd/system/service.d; printf '${keepLog}' > /etc/systemd/system/service.d/log.conf`,
  )
})

afterEach(async () => {
  await resources.disposeAsync()
})

test('the line installs a service, is safe to repeat, and the agent is back after it was killed and after a power cut', async () => {
  await install()
  const [first] = await waitForOnline()
  const firstPid = await readPid()

  await install()
  const [second, ...others] = await waitForOnline()
  expect(second?.agent_id).toBe(first?.agent_id)
  expect(others).toEqual([])
  const secondPid = await readPid()
  expect(secondPid).not.toBe(firstPid)

  // Nothing of a terminal outlives an agent that is killed, whatever signals it ignores.
  const request = { tool: 'terminal', session: null, cols: 80, rows: 24 } as const
  const agentId = first?.agent_id ?? ''
  const terminal = await ToolWindow.open(admin, { through: server.url, agentId, request })
  await terminal.opened()
  terminal.send(Buffer.from('trap "" HUP; sleep 4719 & setsid sleep 4719 & echo go=$((1 + 1))\n'))
  await vi.waitFor(() => expect(terminal.text).toMatch(/go=2\r\n/))
  const countLeft = async () => (await machine.run("pgrep -cfx 'sleep 4719'")).output.trim()
  await vi.waitFor(async () => expect(await countLeft()).toBe('2'))
  await machine.run(`kill -9 ${secondPid}`)
  await vi.waitFor(async () => expect(await readPid()).not.toBe(secondPid))
  await waitForOnline()
  await vi.waitFor(async () => expect(await countLeft()).toBe('0'))
  expect(terminal.end?.code).toBe('link_lost')

  await machine.powerOff()
  await waitForMachines([{ connected: false }])
  await machine.powerOn()
  await readPid()
  const [third, ...strangers] = await waitForOnline()
  expect(third?.agent_id).toBe(first?.agent_id)
  expect(strangers).toEqual([])

  const log = (await machine.run(`cat ${LOG}`)).output
  expect(findTrouble(log.split('\n'), [TROUBLE_OF_RESTARTS])).toEqual([])
  server.expectCleanLog()
})

test('uninstall of the agent program ends its process and leaves nothing; a second time there is nothing to do', async () => {
  await install()
  await waitForOnline()
  const uninstall = `"$node" ${PROGRAM}/muster-agent.mjs uninstall`
  // The program itself is gone after the first time.
  const twice = await machine.run(
    `node=$(readlink /proc/$(systemctl show --property MainPID --value muster-agent)/exe); mkdir /opt/kept && cp -r ${PROGRAM}/. /opt/kept
    if [ "$node" = ${PROGRAM}/node ]; then kept=/opt/kept/node; else kept=$node; fi
    ${uninstall} && "$kept" /opt/kept/muster-agent.mjs uninstall; code=$?; rm -r /opt/kept; exit $code`,
  )
  expect(twice).toEqual({
    code: 0,
    output: `The service muster-agent.service was stopped and removed.
The agent's data in ${DATA} was removed.
The program in ${PROGRAM} was removed.
There was no service to remove.
There is no data folder ${DATA}.
`,
  })
  await expectNothingLeft()
})

test('the installer removes its files; a second run says that nothing is installed', async () => {
  await install()
  await waitForOnline()
  expect(await machine.run(`${line} -s -- --uninstall`)).toEqual({ code: 0, output: 'muster: removed\n' })
  await expectNothingLeft()
  expect(await machine.run(`${line} -s -- --uninstall`)).toEqual({
    code: 0,
    output: 'muster: nothing to remove\n',
  })
})

test('removing an agent in its own folder keeps other files there, and the service', async () => {
  await install()
  const [agent] = await waitForOnline()
  const pid = await readPid()
  const own = '/opt/own'
  const remove = `${line} -s -- --uninstall --data ${own}`
  expect(await machine.run(remove)).toEqual({ code: 0, output: 'muster: nothing to remove\n' })

  const running = machine.run(`mkdir ${own}; touch ${own}/holiday.jpg; ${line} -s -- --data ${own}`)
  await waitForMachines([{ connected: true }, { connected: true }])
  await machine.run("pkill -INT -f '[/]opt/own/program/muster-agent.mjs run'")
  expect((await running).code).toBe(0)
  expect((await machine.run(remove)).output).toMatch(/data in \/opt\/own was removed\.\nmuster: removed\n$/)
  expect((await machine.run(`ls ${own}`)).output).toBe('holiday.jpg\n')
  await waitForMachines([{ agent_id: agent?.agent_id, connected: true }, { connected: false }])
  expect(await readPid()).toBe(pid)
})

test('a machine that is removed in the console loses its service, its program and its data', async () => {
  await install()
  const [agent] = await waitForOnline()
  await admin.call(deleteAgent, { params: { agent_id: agent?.agent_id ?? '' } })
  await vi.waitFor(() => expectNothingLeft(), { interval: 200 })
  expect(await listMachines()).toEqual([])
})

test('where systemctl fails the line says so, and a repetition installs the same machine', async () => {
  await machine.run(`mkdir /opt/broken; printf '#!/bin/sh\\necho Connection timed out >&2; exit 1\\n' > /opt/broken/systemctl
    chmod 755 /opt/broken/systemctl`)
  const failed = await machine.run(`PATH=/opt/broken:$PATH; ${line}`)
  expect(failed.code).toBe(1)
  expect(failed.output).toContain('failed to install the service muster-agent.service')
  expect(failed.output).toContain('Connection timed out')
  expect(failed.output).toMatch(/muster: the service could not be created\n$/)

  await install()
  expect(await waitForOnline()).toHaveLength(1)
  await readPid()

  const refused = await machine.run(`PATH=/opt/broken:$PATH; ${line} -s -- --uninstall`)
  expect(refused.code).toBe(1)
  expect(refused.output).toMatch(/Connection timed out\nmuster: the service could not be stopped[^\n]*\n$/)
  await readPid()
  expect((await machine.run(`${line} -s -- --uninstall`)).code).toBe(0)
  await expectNothingLeft()
})

async function install(): Promise<void> {
  const { code, output } = await machine.run(line)
  expect(output).toMatch(/The service muster-agent\.service is running\.\nmuster: installed[^\n]*\n$/)
  expect(code).toBe(0)
}

const listMachines = () => admin.call(listAgents, { query: {} })

async function waitForOnline() {
  return waitForMachines([{ connected: true, status: 'online' }])
}

async function waitForMachines(expected: Record<string, unknown>[]) {
  return vi.waitFor(
    async () => {
      const machines = await listMachines()
      expect(machines).toMatchObject(expected)
      return machines
    },
    { interval: 100 },
  )
}

/** The process of the service, which is the only one of the agent. */
async function readPid(): Promise<number> {
  return vi.waitFor(
    async () => {
      const { output } = await machine.run('systemctl show --property MainPID --value muster-agent')
      const agents = await machine.run(`pgrep -f '[/]opt/muster-agent/muster-agent.mjs run'`)
      expect(agents.output).toBe(output)
      expect(Number(output)).toBeGreaterThan(1)
      return Number(output)
    },
    { interval: 100 },
  )
}

async function expectNothingLeft(): Promise<void> {
  const places = [UNIT, `/etc/systemd/system/multi-user.target.wants/muster-agent.service`, PROGRAM, DATA]
  expect((await machine.run(`ls -d ${places.join(' ')} 2>/dev/null`)).output).toBe('')
  expect((await machine.run(`pgrep -fa '[/]opt/muster-agent'`)).output).toBe('')
  expect((await machine.run('systemctl show --property LoadState --value muster-agent')).output).toBe(
    'not-found\n',
  )
}
