import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInstaller, deleteAgent, getAgent, listAgents } from '@muster/contract/api/agents'
import { updateAgents } from '@muster/contract/api/updates'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { buildPackage, buildPrograms } from '../support/build.ts'
import { ROOT } from '../support/program.ts'
import { addClient } from '../support/seed.ts'
import { signIn } from '../support/sign-in.ts'
import { startServer } from '../support/start-server.ts'
import { startSystemdMachine } from '../support/systemd-machine.ts'
import { LONG_PATIENCE_MS } from '../../tools/patience.ts'

const PATIENCE = { timeout: LONG_PATIENCE_MS, interval: 200 }
const NEWER = '99.0.0'
/** `verify` prints nothing if no file of the package was changed. rpm does not know the packages of Debian. */
const FORMATS = {
  deb: {
    install: 'dpkg -i',
    verify: 'dpkg --verify muster-agent',
    find: 'dpkg -s muster-agent',
  },
  rpm: {
    install: 'rpm -U --replacepkgs --nodeps',
    verify: 'rpm --verify --nodeps muster-agent',
    find: 'rpm -q muster-agent',
  },
} as const
let folder: string

beforeAll(() => {
  buildPrograms()
  folder = mkdtempSync(join(tmpdir(), 'muster-packages-'))
  carryNewerAgent()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A folder with the built agent under another version, for a server to offer. */
function carryNewerAgent(): void {
  const built = join(ROOT, 'apps/agent/dist')
  const { version, node } = JSON.parse(readFileSync(join(built, 'version.json'), 'utf8')) as {
    version: string
    node: number
  }
  const parts = readFileSync(join(built, 'agent.mjs'), 'utf8').split(`\`${version}\``)
  expect(parts).toHaveLength(2)
  mkdirSync(join(folder, 'newer'))
  writeFileSync(join(folder, 'newer/agent.mjs'), parts.join(`\`${NEWER}\``))
  writeFileSync(join(folder, 'newer/version.json'), JSON.stringify({ version: NEWER, node }))
}

test.each(['deb', 'rpm'] as const)(
  'a %s enrols the machine, updates itself, keeps version and identity when repeated, and leaves nothing after its removal in the console',
  async (format) => {
    const { install, verify, find } = FORMATS[format]
    const file = buildPackage(format, folder)
    await using server = await startServer({ env: { MUSTER_AGENT_FOLDER: join(folder, 'newer') } })
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
      `MUSTER_SERVER=${server.url} MUSTER_ENROL_TOKEN=${token} ${install} ${file}`,
    )
    expect(installed.output).toContain('The service muster-agent.service is running.')
    expect(installed.code).toBe(0)
    const agentId = await waitForOnline()
    expect((await machine.run('muster-agent status')).output).toContain(`agent id  ${agentId}`)
    const logs = '/var/lib/muster-agent /etc/systemd/system /var/lib/dpkg /var/log'
    expect((await machine.run(`grep -rl ${token} ${logs}`)).output).toBe('')

    const readAgent = () => admin.call(getAgent, { params: { agent_id: agentId } })
    await vi.waitFor(async () => expect(await readAgent()).toMatchObject({ can_update: true }), PATIENCE)
    // Earlier than by the waves, which begin with the next minute.
    await admin.call(updateAgents, { body: { agent_ids: [agentId] } })
    await vi.waitFor(
      async () =>
        expect(await readAgent()).toMatchObject({
          version: NEWER,
          update: { state: 'confirmed', version: NEWER },
        }),
      PATIENCE,
    )
    const readVersion = async () => (await machine.run('cat /opt/muster-agent/current.json')).output
    const updated = await readVersion()
    expect(JSON.parse(updated)).toMatchObject({ current: { version: NEWER }, state: 'confirmed' })
    expect((await machine.run(verify)).output).toBe('')

    expect((await machine.run(`${install} ${file}`)).code).toBe(0)
    expect(await waitForOnline()).toBe(agentId)
    expect(await readVersion()).toBe(updated)
    expect(await admin.call(listAgents, { query: {} })).toHaveLength(1)

    await admin.call(deleteAgent, { params: { agent_id: agentId } })
    const places =
      '/opt/muster-agent /usr/bin/muster-agent /var/lib/muster-agent /etc/systemd/system/muster-agent.service'
    await vi.waitFor(
      async () => expect((await machine.run(`ls -d ${places} 2>/dev/null`)).output).toBe(''),
      PATIENCE,
    )
    expect((await machine.run(find)).code).toBe(1)
    server.expectCleanLog()
  },
)
