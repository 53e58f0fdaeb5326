import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createInstaller, listAgents } from '@muster/contract/api/agents'
import { createClient } from '@muster/contract/api/clients'
import { sendCommand } from '@muster/contract/api/runs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { buildPrograms } from './build.ts'
import { PastedLine } from './pasted-line.ts'
import { signIn } from './sign-in.ts'
import { startServer } from './start-server.ts'
import { OTHER_CERT, OTHER_KEY, TEST_AUTHORITY, TEST_LEAF, TEST_LEAF_KEY } from './tls-chain.ts'
import { LONG_PATIENCE_MS } from '../../tools/patience.ts'

const trustedBefore = getCACertificates('default')
let folder: string

beforeAll(async () => {
  buildPrograms()
  folder = await mkdtemp(join(tmpdir(), 'muster-tls-'))
  await writeFile(join(folder, 'authority.pem'), TEST_AUTHORITY)
  await writeFile(join(folder, 'leaf.pem'), TEST_LEAF)
  await writeFile(join(folder, 'chain.pem'), TEST_LEAF + TEST_AUTHORITY)
  await writeFile(join(folder, 'key.pem'), TEST_LEAF_KEY)
  await writeFile(join(folder, 'other.pem'), OTHER_CERT)
  await writeFile(join(folder, 'other-key.pem'), OTHER_KEY)
  setDefaultCACertificates([...trustedBefore, TEST_AUTHORITY, OTHER_CERT])
})

afterAll(async () => {
  setDefaultCACertificates(trustedBefore)
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** Certificates that a machine trusts: none of ours, or the authority, like a public one. */
const deployments = [
  ['an authority of its own, whose certificate is in the file', 'chain.pem', ''],
  ['an authority that machines know', 'leaf.pem', 'authority.pem'],
] as const

test.each(deployments)(
  'under TLS with %s machines come by the line and by themselves',
  async (...deployment) => {
    const [, certificates, known] = deployment
    const trust =
      known === '' ? {} : { NODE_EXTRA_CA_CERTS: join(folder, known), CURL_CA_BUNDLE: join(folder, known) }
    const env = {
      MUSTER_TLS_CERT: join(folder, certificates),
      MUSTER_TLS_KEY: join(folder, 'key.pem'),
      ...trust,
    }
    await using server = await startServer({ env })
    expect(server.url).toMatch(/^https:/)
    const admin = await signIn(server.url, server.admin)
    const client = await admin.call(createClient, {
      body: { client: { name: 'Acme' }, site: { name: 'Office' }, initialsetup: true, monitor_server: true },
    })
    const { cmd } = await admin.call(createInstaller, {
      body: {
        client: client.id,
        site: client.sites[0]?.id ?? 0,
        agenttype: 'workstation',
        plat: 'linux',
        data_folder: join(folder, `agent of ${certificates}`),
      },
    })
    const settings = Object.entries(trust).map(([name, value]) => `export ${name}='${value}'; `)
    await using pasted = new PastedLine(settings.join('') + cmd)
    const machines = await vi.waitUntil(
      async () => {
        const rows = await admin.call(listAgents, { query: {} })
        return rows.filter((row) => 'connected' in row && row.connected).length === 2 && rows
      },
      { timeout: LONG_PATIENCE_MS, interval: 200 },
    )
    for (const { agent_id } of machines) {
      const run = await admin.call(sendCommand, {
        params: { agent_id },
        body: { shell: 'sh', cmd: 'echo by TLS' },
      })
      expect(run.stdout).toBe('by TLS\n')
    }
    await pasted.pressCtrlC()
    pasted.expectCleanLog()
    expect(await server.stop()).toBe(0)
    server.expectCleanLog()
  },
)

test('machines come back to a server with another self-signed certificate', async () => {
  const [cert, key] = [join(folder, 'served.pem'), join(folder, 'served-key.pem')]
  await copyFile(join(folder, 'chain.pem'), cert)
  await copyFile(join(folder, 'key.pem'), key)
  await using server = await startServer({ env: { MUSTER_TLS_CERT: cert, MUSTER_TLS_KEY: key } })
  const admin = await signIn(server.url, server.admin)
  const client = await admin.call(createClient, {
    body: { client: { name: 'Acme' }, site: { name: 'Office' }, initialsetup: true },
  })
  const { cmd } = await admin.call(createInstaller, {
    body: {
      client: client.id,
      site: client.sites[0]?.id ?? 0,
      agenttype: 'workstation',
      plat: 'linux',
      data_folder: join(folder, 'agent of a new certificate'),
    },
  })
  await using pasted = new PastedLine(cmd)
  const findMachine = async (as: typeof admin) => {
    const rows = await as.call(listAgents, { query: {} })
    return rows.find((row) => 'connected' in row && row.connected)
  }
  const patience = { timeout: LONG_PATIENCE_MS, interval: 200 }
  const before = await vi.waitUntil(() => findMachine(admin), patience)

  await copyFile(join(folder, 'other.pem'), cert)
  await copyFile(join(folder, 'other-key.pem'), key)
  await server.restart()
  const again = await signIn(server.url, server.admin)
  const after = await vi.waitUntil(() => findMachine(again), patience)
  expect(after.agent_id).toBe(before.agent_id)
  const run = await again.call(sendCommand, {
    params: { agent_id: after.agent_id },
    body: { shell: 'sh', cmd: 'echo by another certificate' },
  })
  expect(run.stdout).toBe('by another certificate\n')
  await pasted.pressCtrlC()
  expect(await server.stop()).toBe(0)
  server.expectCleanLog()
})
