import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { getAgent } from '@muster/contract/api/agents'
import { listAudit } from '@muster/contract/api/audit'
import { cancelPendingAction, listPendingActions } from '@muster/contract/api/pending-actions'
import {
  getRollout,
  getUpdateSettings,
  listAgentVersions,
  resumeRollout,
  setUpdateSettings,
  updateAgents,
} from '@muster/contract/api/updates'
import { AgentManifest } from '@muster/contract/agent/updates'
import type { Report } from '@muster/contract/agent/link'
import { expect, onTestFinished, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'

const PROGRAM = 'console.log("the agent")\n'
const NEXT = '2.0.0'

/** A server that offers version 2.0.0. */
async function givenServer() {
  const folder = mkdtempSync(join(tmpdir(), 'muster-carried-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'agent.mjs'), PROGRAM)
  writeFileSync(join(folder, 'version.json'), JSON.stringify({ version: NEXT, node: 24 }))
  const server = await createTestServer({ env: { MUSTER_AGENT_FOLDER: folder } })
  onTestFinished(() => server[Symbol.asyncDispose]())
  const { url } = await server.listen()
  const site = await server.given.site()
  const root = server.as(await server.given.user({ superuser: true }))
  const connect = async (hostname: string, siteId = site.id) => {
    const agent = await TestAgent.enrol(server, url, siteId, { hostname })
    onTestFinished(() => agent[Symbol.dispose]())
    await agent.connect({ canUpdate: true })
    await expect
      .poll(async () => (await root.call(getAgent, { params: { agent_id: agent.agentId } })).body.can_update)
      .toBe(true)
    return agent
  }
  // A new server does not run jobs of the minute before it started.
  await server.ctx.jobs.drain()
  return { server, url, site, root, connect }
}

type UpdateReport = Extract<Report, { kind: 'update' }>
const reportOf = (state: UpdateReport['state'], reason: string | null = null): UpdateReport => ({
  kind: 'update',
  version: NEXT,
  state,
  at: new Date().toISOString(),
  reason,
})

async function report(agent: TestAgent, ...reports: UpdateReport[]): Promise<void> {
  const from = agent.frames.length
  const last = reports.map((one) => agent.report(one)).at(-1) ?? 0
  await agent.next((frame) => frame.type === 'ack' && frame.seq >= last, from)
}

async function pauseAll({ root }: Awaited<ReturnType<typeof givenServer>>): Promise<void> {
  const params = { level: 'default', id: 'all' } as const
  const body = { mode: 'paused', version: null, waves: null, max_rollbacks: null } as const
  expect((await root.call(setUpdateSettings, { params, body })).status).toBe(200)
}

const countOrders = (agent: TestAgent) =>
  agent.frames.filter(
    (frame) => frame.type === 'command' && JSON.parse(frame.command.payload).name === 'update-agent',
  ).length

const drain = async (server: TestServer) => server.ctx.jobs.drain()

test('a user updates a machine: it gets a signed order, and its outcome is stored', async () => {
  const given = await givenServer()
  const { server, url, root, connect } = given
  await pauseAll(given)
  const agent = await connect('PC-12')
  const params = { agent_id: agent.agentId }
  await drain(server)
  expect(countOrders(agent)).toBe(0)

  const from = agent.frames.length
  expect((await root.call(updateAgents, { body: { agent_ids: [agent.agentId] } })).body).toBe('ok')
  await drain(server)
  const { payload } = await agent.nextCommand(from)
  expect(payload).toMatchObject({ name: 'update-agent', agent_id: agent.agentId })
  const manifest = AgentManifest.parse(payload.input)
  expect(manifest).toMatchObject({ version: NEXT, node: 24, rollback: false, trial_seconds: 120 })
  const download = await fetch(url + manifest.path, { headers: { 'accept-encoding': 'identity' } })
  const bytes = Buffer.from(await download.arrayBuffer())
  const program = bytes.subarray(0, 2).toString('hex') === '1f8b' ? gunzipSync(bytes) : bytes
  expect(program.toString()).toBe(PROGRAM)
  expect(program.byteLength).toBe(manifest.bytes)
  expect(createHash('sha256').update(program).digest('hex')).toBe(manifest.sha256)

  await report(agent, reportOf('downloading'), reportOf('installed'))
  expect((await root.call(getAgent, { params })).body.update).toMatchObject({ state: 'installed' })
  const actions = () => root.call(listPendingActions, { query: {} })
  expect((await actions()).body).toMatchObject([{ action_type: 'agentupdate', status: 'pending' }])
  await report(agent, reportOf('confirmed'))
  expect((await root.call(getAgent, { params })).body).toMatchObject({
    update: { state: 'confirmed', version: NEXT, reason: null },
  })
  expect((await actions()).body).toMatchObject([
    { status: 'completed', details: { output: 'Updated to version 2.0.0.' } },
  ])
  const { body: log } = await root.call(listAudit, { body: {} })
  expect(log.audit_logs.map(({ message }) => message)).toContain(
    'Ordered the update of the agent to version 2.0.0',
  )
  expect((await fetch(`${url}/agent/versions/1.0.0/agent.mjs`)).status).toBe(404)
})

test('an offline machine is updated when it returns, unless the order is cancelled', async () => {
  const given = await givenServer()
  const { server, root, connect } = given
  await pauseAll(given)
  const agent = await connect('PC-12')
  const params = { agent_id: agent.agentId }
  agent.cut()
  await expect.poll(async () => (await root.call(getAgent, { params })).body.connected).toBe(false)

  await root.call(updateAgents, { body: { agent_ids: [agent.agentId] } })
  await drain(server)
  expect((await root.call(getAgent, { params })).body.update?.state).toBe('waiting')
  const { body: actions } = await root.call(listPendingActions, { query: {} })
  const [action] = Array.isArray(actions) ? actions : []
  expect((await root.call(cancelPendingAction, { params: { id: action?.id ?? 0 } })).status).toBe(200)
  expect((await root.call(getAgent, { params })).body.update).toBe(null)

  await root.call(updateAgents, { body: { agent_ids: [agent.agentId] } })
  const from = agent.frames.length
  await agent.connect({ canUpdate: true })
  await expect.poll(async () => (await root.call(getAgent, { params })).body.connected).toBe(true)
  server.clock.advance(60)
  await drain(server)
  expect((await agent.nextCommand(from)).payload.name).toBe('update-agent')
})

test('an agent that cannot update itself is refused with a sentence', async () => {
  const { server, url, site, root } = await givenServer()
  using agent = await TestAgent.enrol(server, url, site.id, { hostname: 'OLD-1' })
  await agent.connect()
  const refused = await root.call(updateAgents, { body: { agent_ids: [agent.agentId] } })
  expect(refused).toMatchObject({
    status: 409,
    error: { detail: 'The agent of OLD-1 cannot update itself. Install it again with a current installer.' },
  })
  await drain(server)
  expect(countOrders(agent)).toBe(0)
})

test('a user without the permission, or who does not see the machine, cannot update it', async () => {
  const { server, connect } = await givenServer()
  const agent = await connect('PC-12')
  const other = await server.given.site()
  const bob = server.as(await server.given.user({ permissions: ['can_list_agents'] }))
  const eve = server.as(
    await server.given.user({ permissions: ['can_update_agents'], clients: [other.client_id] }),
  )
  const body = { agent_ids: [agent.agentId] }
  expect((await bob.call(updateAgents, { body })).status).toBe(403)
  expect((await eve.call(updateAgents, { body })).status).toBe(404)
})

test('waves go on when the former is confirmed, and halt when a machine rolls back', async () => {
  const { server, root, connect } = await givenServer()
  const agents = [await connect('A'), await connect('B'), await connect('C')]
  const offered = () => agents.filter((agent) => countOrders(agent) > 0)
  const turn = async () => {
    server.clock.advance(60)
    await drain(server)
  }
  await turn()
  await expect.poll(() => offered().length).toBe(1)
  const [first] = offered()
  expect((await root.call(getRollout, {})).body).toMatchObject({
    version: NEXT,
    state: 'running',
    wave: 0,
    waves: [1, 10, 100],
    counts: { total: 3, waiting: 2, in_progress: 1 },
  })
  await turn()
  expect(offered()).toHaveLength(1)

  await report(first as TestAgent, reportOf('rolled-back', 'It never connected.'))
  await turn()
  expect((await root.call(getRollout, {})).body).toMatchObject({
    state: 'halted',
    reason: 'Version 2.0.0 was confirmed by 0 of 1 machines.',
    counts: { rolled_back: 1 },
  })
  await turn()
  expect(offered()).toHaveLength(1)
  const { body: log } = await root.call(listAudit, { body: {} })
  expect(log.audit_logs[0]).toMatchObject({
    username: 'server',
    message: 'Halted the update of agents. Version 2.0.0 was confirmed by 0 of 1 machines.',
  })

  expect((await root.call(resumeRollout, {})).status).toBe(200)
  await turn()
  await expect.poll(() => offered().length).toBe(2)
  const second = offered().find((agent) => agent !== first)
  await report(second as TestAgent, reportOf('installed'), reportOf('confirmed'))
  await turn()
  await expect.poll(() => offered().length).toBe(3)
  expect((await root.call(resumeRollout, {})).status).toBe(409)
})

test('a paused client and a pinned machine are left out of the waves', async () => {
  const { server, site, root, connect } = await givenServer()
  const paused = await server.given.site()
  const [one, two, three] = [await connect('A'), await connect('B', paused.id), await connect('C')]
  const set = (level: 'client' | 'agent' | 'site', id: string, mode: 'paused' | 'pinned' | null) =>
    root.call(setUpdateSettings, {
      params: { level, id },
      body: { mode, version: mode === 'pinned' ? '0.1.0' : null, waves: null, max_rollbacks: null },
    })
  expect((await set('client', String(paused.client_id), 'paused')).status).toBe(200)
  expect((await set('agent', three.agentId, 'pinned')).status).toBe(200)
  expect(
    (await root.call(getUpdateSettings, { params: { level: 'site', id: String(paused.id) } })).body,
  ).toMatchObject({ settings: { mode: null }, inherited: { mode: 'paused' } })
  expect((await root.call(listAgentVersions, {})).body).toMatchObject({
    versions: [NEXT],
    agents: [
      { hostname: 'A', mode: 'automatic' },
      { hostname: 'B', mode: 'paused' },
      { hostname: 'C', mode: 'pinned', pinned_version: '0.1.0' },
    ],
  })
  server.clock.advance(60)
  await drain(server)
  await expect.poll(() => countOrders(one)).toBe(1)
  expect([countOrders(two), countOrders(three)]).toEqual([0, 0])
  expect((await root.call(getRollout, {})).body.counts.total).toBe(1)
  // A user may update them all the same.
  await root.call(updateAgents, { body: { agent_ids: [two.agentId] } })
  await drain(server)
  await expect.poll(() => countOrders(two)).toBe(1)

  const wrong = await root.call(setUpdateSettings, {
    params: { level: 'site', id: String(site.id) },
    body: { mode: 'pinned', version: null, waves: null, max_rollbacks: null },
  })
  expect(wrong.status).toBe(400)
})

test('a client has waves of its own, and a site takes them over', async () => {
  const { server, root, connect } = await givenServer()
  const fast = await server.given.site()
  const slow = [await connect('A'), await connect('B')]
  const quick = [await connect('C', fast.id), await connect('D', fast.id)]
  const set = (
    level: 'client' | 'agent' | 'site',
    id: string,
    more: { waves?: number[]; max_rollbacks?: number },
  ) =>
    root.call(setUpdateSettings, {
      params: { level, id },
      body: { mode: null, version: null, waves: null, max_rollbacks: null, ...more },
    })
  expect((await set('client', String(fast.client_id), { waves: [100] })).status).toBe(200)
  const ofSite = await root.call(getUpdateSettings, { params: { level: 'site', id: String(fast.id) } })
  expect(ofSite.body).toMatchObject({ settings: { waves: null }, inherited: { waves: [100] } })
  server.clock.advance(60)
  await drain(server)
  const countAll = (agents: TestAgent[]) => agents.reduce((sum, agent) => sum + countOrders(agent), 0)
  await expect.poll(() => [countAll(slow), countAll(quick)]).toEqual([1, 2])
  expect((await set('agent', slow[0]?.agentId ?? '', { waves: [100] })).error?.detail).toBe(
    'A machine has no waves of its own.',
  )
  expect((await set('site', String(fast.id), { max_rollbacks: 1 })).error?.detail).toBe(
    'Rollbacks are counted over all machines.',
  )
})

test('a machine that falls silent during an update has failed, and is offered the version again later', async () => {
  const { server, root, connect } = await givenServer()
  const agent = await connect('PC-12')
  const params = { agent_id: agent.agentId }
  const turn = async (seconds: number) => {
    server.clock.advance(seconds)
    await drain(server)
  }
  await turn(60)
  await expect.poll(() => countOrders(agent)).toBe(1)
  await report(agent, reportOf('downloading'))
  await turn(16 * 60)
  expect((await root.call(getAgent, { params })).body.update).toMatchObject({
    state: 'failed',
    reason: 'The machine has not reported for 15 minutes.',
  })
})

test('reports about a version that a machine was not offered change nothing', async () => {
  const given = await givenServer()
  const { server, root, connect } = given
  const agents: TestAgent[] = []
  for (let index = 0; index < 5; index += 1) agents.push(await connect(`PC-${index}`))
  for (const agent of agents) {
    await report(agent, reportOf('rolled-back', 'Invented.'))
    expect((await root.call(getAgent, { params: { agent_id: agent.agentId } })).body.update).toBeNull()
  }
  server.clock.advance(60)
  await drain(server)
  await expect.poll(() => agents.filter((agent) => countOrders(agent) > 0).length).toBe(1)
  expect((await root.call(getRollout, {})).body).toMatchObject({
    state: 'running',
    reason: null,
    counts: { in_progress: 1, rolled_back: 0 },
  })
  // Its order is for one version, and ends with the first result.
  const [offered] = agents.filter((agent) => countOrders(agent) > 0)
  const stateOf = async () =>
    (await root.call(getAgent, { params: { agent_id: offered?.agentId ?? '' } })).body.update?.state
  await report(offered as TestAgent, { ...reportOf('rolled-back'), version: '1.9.9' })
  expect(await stateOf()).toBe('offered')
  await report(offered as TestAgent, reportOf('installed'), reportOf('confirmed'), reportOf('rolled-back'))
  expect(await stateOf()).toBe('confirmed')
})

test('a client whose machines roll back does not halt the update of the others', async () => {
  const { server, site, root, connect } = await givenServer()
  const hostile = await server.given.site()
  await root.call(setUpdateSettings, {
    params: { level: 'default', id: 'all' },
    body: { mode: 'automatic', version: null, waves: [100], max_rollbacks: 3 },
  })
  const bad: TestAgent[] = []
  for (let index = 0; index < 5; index += 1) bad.push(await connect(`BAD-${index}`, hostile.id))
  const good = await connect('GOOD', site.id)
  const turn = async () => {
    server.clock.advance(60)
    await drain(server)
  }
  await turn()
  await expect.poll(() => [...bad, good].every((agent) => countOrders(agent) === 1)).toBe(true)
  for (const agent of bad) await report(agent, reportOf('rolled-back', 'It crashed.'))
  await report(good, reportOf('confirmed'))
  const later = await connect('LATER', site.id)
  const left = await connect('LEFT', hostile.id)
  await turn()
  await expect.poll(() => countOrders(later)).toBe(1)
  expect(countOrders(left)).toBe(0)
  expect((await root.call(getRollout, {})).body).toMatchObject({
    state: 'running',
    reason: 'Most machines of 1 client did not confirm version 2.0.0, so its other machines wait.',
  })
  const { body: log } = await root.call(listAudit, { body: {} })
  expect(log.audit_logs[0]?.message).toBe(
    'Held the update of agents at 1 client. Most machines of 1 client did not confirm version 2.0.0, so its other machines wait.',
  )
  expect((await root.call(resumeRollout, {})).status).toBe(200)
  await turn()
  await expect.poll(() => countOrders(left)).toBe(1)
})
