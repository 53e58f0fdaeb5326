import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInstaller, deleteAgent, listAgents } from '@muster/contract/api/agents'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { buildPrograms } from '../support/build.ts'
import { addClient } from '../support/seed.ts'
import { signIn } from '../support/sign-in.ts'
import { startServer } from '../support/start-server.ts'
import { startSystemdMachine } from '../support/systemd-machine.ts'

const PATIENCE = { timeout: 30_000, interval: 200 }
let folder: string
let file: string

beforeAll(() => {
  buildPrograms()
  folder = mkdtempSync(join(tmpdir(), 'muster-deb-'))
  const program = join(import.meta.dirname, '../../deploy/packages.mjs')
  const args = ['--platform', 'linux', '--arch', process.arch, '--format', 'deb', '--fast', '--out', folder]
  const printed = execFileSync(process.execPath, [program, ...args], { encoding: 'utf8' })
  // The contract of the program.
  file = (JSON.parse(printed.trim().split('\n').at(-1) ?? '') as { file: string }).file
}, 600_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a Debian package enrols the machine, keeps its identity when repeated, and is purged from the console', async () => {
  await using server = await startServer()
  await using machine = await startSystemdMachine()
  const admin = await signIn(server.url, server.admin)
  const { id, sites } = await addClient(admin, 'Acme')
  const installer = await admin.call(createInstaller, {
    body: { client: id, site: sites[0]?.id ?? 0, agenttype: 'server', plat: 'linux' },
  })
  const token = /Enrol ([\w-]+)/.exec(installer.cmd)?.[1] ?? ''
  const listOnline = async () =>
    (await admin.call(listAgents, { query: {} })).filter((agent) => 'connected' in agent && agent.connected)
  const waitForOnline = () =>
    vi.waitFor(async () => {
      const online = await listOnline()
      expect(online).toHaveLength(1)
      return online[0]?.agent_id ?? ''
    }, PATIENCE)

  const installed = await machine.run(
    `MUSTER_SERVER=${server.url} MUSTER_ENROL_TOKEN=${token} dpkg -i ${file}`,
  )
  expect(installed.output).toContain('The service muster-agent.service is running.')
  expect(installed.code).toBe(0)
  const agentId = await waitForOnline()
  expect((await machine.run('muster-agent status')).output).toContain(`agent id  ${agentId}`)
  expect((await machine.run(`grep -rl ${token} /var/lib/muster-agent /etc/systemd/system`)).output).toBe('')

  expect((await machine.run(`dpkg -i ${file}`)).code).toBe(0)
  expect(await waitForOnline()).toBe(agentId)
  expect(await admin.call(listAgents, { query: {} })).toHaveLength(1)

  await admin.call(deleteAgent, { params: { agent_id: agentId } })
  const places =
    '/opt/muster-agent /usr/bin/muster-agent /var/lib/muster-agent /etc/systemd/system/muster-agent.service'
  await vi.waitFor(
    async () => expect((await machine.run(`ls -d ${places} 2>/dev/null`)).output).toBe(''),
    PATIENCE,
  )
  expect((await machine.run('dpkg -s muster-agent')).code).toBe(1)
  server.expectCleanLog()
}, 120_000)
