import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getAgent, listAgents } from '@muster/contract/api/agents'
import { getTimeline } from '@muster/contract/api/timeline'
import { expect, onTestFinished, test, vi } from 'vitest'
import { LONG_PATIENCE_MS } from '../../tools/patience.ts'
import { openOtherMachine } from '../support/other-machine.ts'
import { Program, ROOT } from '../support/program.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { type Session, signIn } from '../support/sign-in.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'
import { startServer } from '../support/start-server.ts'

// Real agents on machines that differ only in what a clone does not have in common with its original.
const PATIENCE = { timeout: LONG_PATIENCE_MS, interval: 200 }
const MACHINE_ID = '0f1e2d3c4b5a69788796a5b4c3d2e1f0\n'
const FIRST = { dmiUuid: '11111111-2222-3333-4444-555555555555', mac: '00:1b:21:00:00:01' }
const SECOND = { dmiUuid: '66666666-7777-8888-9999-aaaaaaaaaaaa', mac: '00:1b:21:00:00:02' }

async function givenFleet() {
  const stack = new AsyncDisposableStack()
  onTestFinished(() => stack.disposeAsync())
  const server = stack.use(await startServer())
  const admin = await signIn(server.url, server.admin)
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  const dataFolder = mkdtempSync(join(tmpdir(), 'muster-e2e-data-'))
  stack.defer(() => rmSync(dataFolder, { recursive: true, force: true }))
  const openMachine = (hostname: string, hardware: typeof FIRST, machineId = MACHINE_ID) =>
    stack.use(openOtherMachine({ hostname, machineId, dataFolder, ...hardware }))
  const start = async (machine: ReturnType<typeof openMachine>) =>
    stack.use(await startAgent({ server: server.url, token, dataFolder, within: machine.within }))
  /** The command line of the agent on a machine, until it ends. */
  const run = async (machine: ReturnType<typeof openMachine>, ...args: string[]) => {
    const main = [process.execPath, join(ROOT, 'apps/agent/src/main.ts'), ...args, '--data', dataFolder]
    const [file = '', ...rest] = [...machine.within, ...main]
    await using program = new Program(file, rest, { env: { ...process.env } })
    await program.ended
    return program.stdout.join('\n')
  }
  return { server, admin, token, openMachine, start, run }
}

const listConnected = async (admin: Session) =>
  (await admin.call(listAgents, { query: {} }))
    .filter((row) => 'status' in row && row.status === 'online')
    .map(({ hostname }) => hostname)
    .toSorted()

test.each([
  ['a cloned image', MACHINE_ID],
  ['an id that was never set', 'uninitialized\n'],
  ['an id of zeros', `${'0'.repeat(32)}\n`],
  ['an empty id', ''],
])('two machines with %s are two rows, and both are connected', async (_name, machineId) => {
  const { server, admin, openMachine, start } = await givenFleet()
  const agents: TestAgent[] = []
  agents.push(await start(openMachine('web-01', FIRST, machineId)))
  await vi.waitFor(async () => expect(await listConnected(admin)).toEqual(['web-01']), PATIENCE)
  agents.push(await start(openMachine('web-02', SECOND, machineId)))
  await vi.waitFor(async () => expect(await listConnected(admin)).toEqual(['web-01', 'web-02']), PATIENCE)
  for (const agent of agents) {
    await agent.stop()
    agent.expectCleanLog()
  }
  server.expectCleanLog()
})

test('a copy of a connected agent is turned away, says why, and becomes a machine of its own', async () => {
  const { server, admin, token, openMachine, start, run } = await givenFleet()
  const original = openMachine('web-01', FIRST)
  const first = await start(original)
  await vi.waitFor(async () => expect(await listConnected(admin)).toEqual(['web-01']), PATIENCE)
  const [row] = await admin.call(listAgents, { query: {} })
  const agent_id = row?.agent_id ?? ''

  const copy = openMachine('web-02', SECOND)
  cpSync(original.data, copy.data, { recursive: true })
  rmSync(join(copy.data, 'agent.lock'), { force: true })
  const main = [join(ROOT, 'apps/agent/src/main.ts'), 'run', '--data', first.dataFolder]
  const [file = '', ...rest] = [...copy.within, process.execPath, ...main]
  await using second = new Program(file, rest, { env: { ...process.env } })
  await vi.waitFor(() => expect(second.stderr.join('\n')).toMatch(/server rejected this agent/), PATIENCE)
  expect(second.stderr.join('\n')).toMatch(/web-01 is connected .* other hardware.*copy.*enrol --server/)

  await vi.waitFor(async () => {
    const to = Math.ceil(Date.now() / 1000) + 60
    const { entries } = await admin.call(getTimeline, {
      params: { agent_id },
      query: { from: to - 3600, to },
    })
    expect(entries.filter(({ text }) => /copy/i.test(text)).map(({ text }) => text)).toEqual([
      expect.stringMatching(/web-02 at 127\.0\.0\.1/),
    ])
  }, PATIENCE)
  expect(await admin.call(getAgent, { params: { agent_id } })).toMatchObject({ status: 'online' })
  await vi.waitFor(
    async () => expect(await run(copy, 'status')).toMatch(/^link {6}down since .*seems to be a copy of it/m),
    PATIENCE,
  )
  await second.stop()

  expect(await run(copy, 'enrol', '--server', server.url, '--token', token)).toMatch(/is enrolled at/)
  await using again = new Program(file, rest, { env: { ...process.env } })
  await vi.waitFor(async () => expect(await listConnected(admin)).toEqual(['web-01', 'web-02']), PATIENCE)
  await again.stop()
  await first.stop()
  first.expectCleanLog()
  server.expectCleanLog()
})
