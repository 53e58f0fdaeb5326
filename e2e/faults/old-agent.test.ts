import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { getAgent } from '@muster/contract/api/agents'
import { type Check, createCheck, getCheck } from '@muster/contract/api/checks'
import { listProcesses } from '@muster/contract/api/processes'
import { createScript } from '@muster/contract/api/scripts'
import { sendCommand } from '@muster/contract/api/runs'
import { updateAgents } from '@muster/contract/api/updates'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { waitForMachine } from '../load/measure-api.ts'
import { TerminalWindow } from '../load/terminal-window.ts'
import { buildPrograms } from '../support/build.ts'
import { ROOT } from '../support/program.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { type Session, signIn } from '../support/sign-in.ts'
import { startAgent } from '../support/start-agent.ts'
import { startServer } from '../support/start-server.ts'
import { LONG_PATIENCE_MS } from '../../tools/patience.ts'

// A server of today with an agent that was built earlier, from commit 36d852ce of 23 November 2026.
const OLD_AGENT = join(import.meta.dirname, '../support/old-agents/agent-0.1.0.mjs.gz')
const PATIENCE = { timeout: LONG_PATIENCE_MS, interval: 200 }

const resources = new AsyncDisposableStack()
let admin: Session
let params: { agent_id: string }

beforeAll(async () => {
  // The server offers the agent of today.
  buildPrograms()
  // Where it finds the native part of terminals.
  const cache = join(ROOT, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'old-agent-'))
  resources.defer(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'agent.mjs')
  writeFileSync(file, gunzipSync(readFileSync(OLD_AGENT)))
  const server = resources.use(await startServer())
  resources.defer(() => server.expectCleanLog())
  admin = await signIn(server.url, server.admin)
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  resources.use(await startAgent({ server: server.url, token, program: { file } }))
  params = { agent_id: await waitForMachine(admin, 'Acme') }
})
afterAll(() => resources.disposeAsync())

test('an old agent is online with its facts, and is known to have no updates', async () => {
  await vi.waitFor(
    async () =>
      expect(await admin.call(getAgent, { params })).toMatchObject({
        status: 'online',
        version: '0.1.0',
        plat: 'linux',
        can_update: false,
        cpu_model: [expect.any(String)],
      }),
    PATIENCE,
  )
  await expect(admin.call(updateAgents, { body: { agent_ids: [params.agent_id] } })).rejects.toThrow(
    /cannot update itself. Install it again/,
  )
})

test('an old agent runs commands and checks, and opens tools', async () => {
  const body = { shell: 'sh', cmd: 'echo $((6 * 7))', timeout: 20 } as const
  expect(await admin.call(sendCommand, { params, body })).toMatchObject({ retcode: 0, stdout: '42\n' })

  const settings = { check_type: 'memory', warning_threshold: 98, error_threshold: 99 } as const
  // A check of a machine, not of a policy.
  const { id } = (await admin.call(createCheck, { body: { agent: params.agent_id, settings } })) as Check
  await vi.waitFor(
    async () =>
      expect((await admin.call(getCheck, { params: { id } })).check_result).toMatchObject({
        status: 'passing',
      }),
    PATIENCE,
  )

  const script = { name: 'As the user', shell: 'shell', script_body: 'id -un', run_as_user: true } as const
  const { id: ofUser } = await admin.call(createScript, { body: { ...script, default_timeout: 30 } })
  // As above.
  const check = (await admin.call(createCheck, {
    body: { agent: params.agent_id, settings: { check_type: 'script', script: ofUser } },
  })) as Check
  await vi.waitFor(
    async () =>
      expect((await admin.call(getCheck, { params: { id: check.id } })).check_result).toMatchObject({
        status: 'failing',
        more_info: expect.stringMatching(
          /is too old to run scripts as the signed-in user\. Update the agent/,
        ),
      }),
    PATIENCE,
  )

  const processes = await admin.call(listProcesses, { params })
  expect(processes.length).toBeGreaterThan(1)

  using terminal = await TerminalWindow.open(admin, params.agent_id)
  terminal.type('echo go=$((1 + 1))\n')
  await terminal.until('go=2')
})
