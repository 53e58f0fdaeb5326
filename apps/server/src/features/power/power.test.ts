import { getAgent } from '@muster/contract/api/agents'
import { listAudit } from '@muster/contract/api/audit'
import type { Report } from '@muster/contract/agent/link'
import { cancelPendingAction, listAgentPendingActions } from '@muster/contract/api/pending-actions'
import { lockScreen, rebootAgent, shutdownAgent, signOutUser, wakeAgent } from '@muster/contract/api/power'
import { expect, test, vi } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { pendingActionsJobs } from './pending-actions/pending-actions.ts'
import { TestAgent } from '../agents/test-agent.ts'

async function prepare(server: TestServer) {
  const { url } = await server.listen()
  const site = await server.given.site({ name: 'Dresden' })
  const agent = await TestAgent.enrol(server, url, site.id)
  const permissions = [
    'can_list_agents',
    'can_reboot_agents',
    'can_send_wol',
    'can_view_auditlogs',
    'can_list_pendingactions',
    'can_manage_pendingactions',
  ] as const
  const ada = server.as(await server.given.user({ username: 'ada', permissions }))
  const written = async () => {
    const { audit_logs } = (await ada.call(listAudit, { body: {} })).body
    return audit_logs.filter(({ action }) => action === 'modify').map(({ message }) => message)
  }
  const params = { agent_id: agent.agentId }
  const list = async () => (await ada.call(listAgentPendingActions, { params, query: {} })).body
  return { url, list, site, agent, ada, params, written, [Symbol.dispose]: () => agent.cut() }
}

/** Responds to the next request to a machine. */
async function answer(agent: TestAgent, from: number, more: object) {
  const { payload } = await agent.nextCommand(from)
  agent.send({ type: 'reply', nonce: payload.nonce, refused: null, answer: null, ...more })
  return payload
}

test('a machine restarts, shuts down, signs out or locks at once, with an audit row', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, params } = fixture
  await agent.connect()
  const body = { now: true }
  const calls = [
    ['reboot', () => ada.call(rebootAgent, { params, body })],
    ['shutdown', () => ada.call(shutdownAgent, { params, body })],
    ['sign_out', () => ada.call(signOutUser, { params, body })],
    ['lock', () => ada.call(lockScreen, { params })],
  ] as const
  for (const [action, call] of calls) {
    const from = agent.frames.length
    const done = call()
    const payload = await answer(agent, from, { answer: {} })
    expect(payload).toMatchObject({ name: 'change-power', input: { action }, author: 'ada' })
    expect((await done).body).toMatchObject({ answered: true })
  }
  const from = agent.frames.length
  const again = ada.call(rebootAgent, { params, body })
  await answer(agent, from, { refused: 'The system refused: Access denied' })
  expect((await again).error).toMatchObject({
    code: 'agent_refused',
    detail: 'PC-12: The system refused: Access denied',
  })
  expect(await fixture.written()).toEqual([
    'Failed to restart the machine',
    'Locked the screen of the machine',
    'Signed out the user of the machine',
    'Shut down the machine',
    'Restarted the machine',
  ])
})

test('the user is warned first; postponements and the end are stored', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, params, list } = fixture
  await agent.connect()
  const body = { message: 'Updates', delay_minutes: 10, may_postpone: true }
  const asked = ada.call(shutdownAgent, { params, body })
  const due = '2099-01-02T18:35:00.000Z'
  const { name, input } = await answer(agent, 0, { answer: { due } })
  expect([name, input]).toMatchObject([
    'plan-power',
    { action: 'shutdown', message: 'Updates', seconds: 600, postponements: 3, if_nobody: 'now' },
  ])
  const planned = { action_type: 'schedshutdown', due, details: { output: '', on_machine: true } }
  expect((await asked).body).toMatchObject({ answered: true, planned })
  const { id } = Object(input) as { id: string }
  const report = async (more: object) => {
    const head = { kind: 'power', id, at: due, due, postponed: 0, reason: null }
    const seq = agent.report({ ...head, ...more } as Report)
    await agent.next((frame) => frame.type === 'ack' && frame.seq >= seq, 0)
  }
  const later = '2099-01-02T18:50:00.000Z'
  await report({ state: 'planned', due: later, postponed: 1 })
  expect(await list()).toMatchObject([
    { due: later, status: 'pending', details: { output: 'Postponed once by the user.' } },
  ])
  await report({ state: 'done', due: later, postponed: 1 })
  expect(await list()).toMatchObject([{ status: 'completed', details: { output: 'Shut down.' } }])
  await report({ state: 'failed', reason: 'Too late.' })
  expect(await list()).toMatchObject([{ details: { output: 'Shut down.' } }])
  expect(await fixture.written()).toEqual(['Planned a shutdown of the machine'])
})

test('without a signed-in user it is done at once, and a refusal leaves no plan', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, params } = fixture
  await agent.connect()
  const rebooted = ada.call(rebootAgent, { params })
  await answer(agent, 0, { answer: { due: null } })
  expect((await rebooted).body).toEqual({ answered: true, planned: null })
  const from = agent.frames.length
  const refused = ada.call(signOutUser, { params })
  await answer(agent, from, { refused: 'No user is signed in at this machine.' })
  expect((await refused).error).toMatchObject({ code: 'agent_refused' })
  expect(await fixture.list()).toEqual([])
  expect(await fixture.written()).toEqual([
    'Failed to sign out the user of the machine',
    'Restarted the machine',
  ])
})

/** A machine that has a plan, and the call that cancels it. */
async function givenPlan({ agent, ada, params }: Awaited<ReturnType<typeof prepare>>) {
  await agent.connect()
  const asked = ada.call(rebootAgent, { params })
  const due = new Date(Date.now() + 300_000).toISOString()
  const { input } = await answer(agent, 0, { answer: { due } })
  const { id } = (await asked).body.planned ?? { id: 0 }
  const cancel = () => ada.call(cancelPendingAction, { params: { id } })
  return { due, plan: (Object(input) as { id: string }).id, cancel }
}

test('a plan on a connected machine is cancelled there, or the machine says that it has begun', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, list } = fixture
  const { plan, cancel } = await givenPlan(fixture)
  const from = agent.frames.length
  const late = cancel()
  await answer(agent, from, { refused: 'It has already begun, or was replaced.' })
  expect((await late).error.code).toBe('agent_refused')
  const again = agent.frames.length
  const cancelled = cancel()
  const payload = await answer(agent, again, { answer: {} })
  expect(payload).toMatchObject({ name: 'cancel-power', input: { id: plan } })
  expect((await cancelled).body).toBeNull()
  expect(await list()).toEqual([])
  expect(await fixture.written()).toEqual(['Planned a restart of the machine'])
})

test('a plan on an offline machine is cancelled at once, and the machine forgets it when it connects', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, params, list } = fixture
  const { plan, cancel } = await givenPlan(fixture)
  agent.cut()
  await vi.waitFor(() => expect(server.app.fleet.links.size).toBe(0))
  const output =
    'Cancelled, but PC-12 is offline: it forgets the plan when it connects. Until then it can still run.'
  expect((await cancel()).body).toMatchObject({ status: 'cancelling', details: { output } })
  expect(await list()).toMatchObject([{ status: 'cancelling', details: { output } }])
  expect((await cancel()).error).toMatchObject({
    code: 'conflict',
    detail: 'This action will be cancelled when PC-12 connects.',
  })
  const { audit_logs } = (await ada.call(listAudit, { body: {} })).body
  expect(audit_logs[0]?.message).toBe('Cancelled the planned restart for when the machine connects')
  await server.ctx.jobs.drain()
  expect(await list()).toMatchObject([{ status: 'cancelling' }])

  const from = agent.frames.length
  await agent.connect()
  await vi.waitFor(() => expect(server.app.fleet.links.size).toBe(1))
  const done = drainUntil(server, async () => (await list())[0]?.status === 'completed')
  const payload = await answer(agent, from, { answer: {} })
  expect(payload).toMatchObject({ name: 'cancel-power', input: { id: plan }, author: 'server' })
  await done
  expect(await list()).toMatchObject([{ details: { output: 'Cancelled when the machine connected.' } }])
  expect((await ada.call(getAgent, { params })).body.pending_actions_count).toBe(0)
})

test('a machine that restarted before it connected again says so, and is not asked', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, list } = fixture
  const { plan, due, cancel } = await givenPlan(fixture)
  agent.cut()
  await vi.waitFor(() => expect(server.app.fleet.links.size).toBe(0))
  await cancel()
  const from = agent.frames.length
  await agent.connect({ lastReport: 2 })
  const head = { kind: 'power', id: plan, at: due, postponed: 1, reason: null } as const
  agent.report({ ...head, state: 'planned', due })
  const seq = agent.report({ ...head, state: 'done', due })
  await agent.next((frame) => frame.type === 'ack' && frame.seq >= seq, from)
  const output = 'Restarted. The machine was offline when it was cancelled.'
  expect(await list()).toMatchObject([{ status: 'completed', details: { output } }])
  await server.ctx.jobs.drain()
  expect(agent.frames.slice(from).filter(({ type }) => type === 'command')).toEqual([])
})

test('a machine whose link ends during the cancellation is asked again when it connects', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, list } = fixture
  const { cancel } = await givenPlan(fixture)
  const from = agent.frames.length
  const cancelled = cancel()
  await agent.nextCommand(from)
  agent.cut()
  expect((await cancelled).body).toMatchObject({ status: 'cancelling' })
  const later = agent.frames.length
  await agent.connect()
  await vi.waitFor(() => expect(server.app.fleet.links.size).toBe(1))
  const done = drainUntil(server, async () => (await list())[0]?.status === 'completed')
  await answer(agent, later, { refused: 'It has already begun, or was replaced.' })
  await done
  expect((await list())[0]?.details.output).toBe('Cancelled. PC-12: It has already begun, or was replaced.')
})

/** The job appears once the link and the reports of the machine are stored. */
function drainUntil(server: TestServer, isDone: () => Promise<boolean>): Promise<void> {
  return vi.waitFor(async () => {
    await server.ctx.jobs.drain()
    expect(await isDone()).toBe(true)
  })
}

test('a machine that goes offline before its response counts as restarted, or as planned', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, params } = fixture
  const cutAfter = async (call: () => ReturnType<typeof ada.call<typeof rebootAgent>>) => {
    await agent.connect()
    const from = agent.frames.length
    const asked = call()
    await agent.nextCommand(from)
    agent.cut()
    return (await asked).body
  }
  const now = { now: true }
  expect(await cutAfter(() => ada.call(rebootAgent, { params, body: now }))).toEqual({
    answered: false,
    planned: null,
  })
  expect(await cutAfter(() => ada.call(rebootAgent, { params }))).toMatchObject({
    answered: false,
    planned: { status: 'pending' },
  })
  expect(await fixture.written()).toEqual([
    'Planned a restart of the machine (without a response)',
    'Restarted the machine (without a response)',
  ])
  server.clock.advance(2 * 86_400)
  const [nightly] = pendingActionsJobs(server.ctx)
  await nightly?.run({}, new AbortController().signal)
  const row = await server.ctx.db.selectFrom('pending_actions').selectAll().executeTakeFirstOrThrow()
  expect(row).toMatchObject({
    status: 'completed',
    output: 'The machine has not reported whether it was done.',
  })
})

test('an offline machine is not restarted, and no audit row is written', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { ada, params } = fixture
  const error = { code: 'agent_offline', detail: 'PC-12 is offline. Try again when it is connected.' }
  expect((await ada.call(rebootAgent, { params })).error).toMatchObject(error)
  expect((await ada.call(shutdownAgent, { params, body: { now: true } })).error).toMatchObject(error)
  expect(await fixture.written()).toEqual([])
  expect(await fixture.list()).toEqual([])
})

test('connected machines of its site wake a sleeping one, those of its network first', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, params, url, site } = fixture
  const card = (mac: string, address: string) => ({ interface: 'eth0', address, family: 'ipv4', mac })
  const report = async (one: TestAgent, addresses: object[]) => {
    const seq = one.report({ kind: 'facts', facts: { addresses } } as never)
    await one.next((frame) => frame.type === 'ack' && frame.seq >= seq, 0)
  }
  await agent.connect()
  await report(agent, [
    card('02:00:00:00:00:01', '10.1.2.3'),
    card('00:00:00:00:00:00', '10.9.0.1'),
    card('<b>x</b>', '10.8.0.1'),
    card('02:00:00:00:00:01', '10.1.2.4'),
  ])
  agent.cut()
  const wake = () => ada.call(wakeAgent, { params })
  await vi.waitFor(async () =>
    expect((await wake()).error).toMatchObject({
      code: 'agent_offline',
      detail: 'No other machine of the site "Dresden" is connected to wake PC-12. Connect one first.',
    }),
  )
  const elsewhere = await server.given.site()
  using far = await TestAgent.enrol(server, url, elsewhere.id, { hostname: 'far' })
  using first = await TestAgent.enrol(server, url, site.id, { hostname: 'first' })
  using near = await TestAgent.enrol(server, url, site.id, { hostname: 'near' })
  for (const one of [far, first, near]) await one.connect()
  await report(near, [card('02:00:00:00:00:09', '10.1.2.9')])
  // The connection is stored shortly after the welcome.
  await vi.waitFor(async () => {
    const connected = server.ctx.db.selectFrom('agents').select('hostname').where('connected', '=', 1)
    expect((await connected.execute()).map(({ hostname }) => hostname).toSorted()).toEqual([
      'far',
      'first',
      'near',
    ])
  })
  const woken = wake()
  const input = { macs: ['02:00:00:00:00:01'] }
  expect(await answer(near, 0, { answer: { count: 2 } })).toMatchObject({ name: 'send-wake-up', input })
  await answer(first, 0, { refused: 'It has no network that a wake-up packet could go to.' })
  expect((await woken).body).toEqual({ sent_by: ['near'] })
  expect(far.frames.filter(({ type }) => type === 'command')).toEqual([])
  expect(await fixture.written()).toEqual(['Sent a wake-up packet by "near"'])
})

test('a machine with unknown network cards, or that is awake, is not woken', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, params } = fixture
  expect((await ada.call(wakeAgent, { params })).error).toMatchObject({
    code: 'conflict',
    detail: 'The network cards of PC-12 are unknown, so it cannot be woken.',
  })
  await agent.connect()
  await vi.waitFor(async () =>
    expect((await ada.call(wakeAgent, { params })).error?.detail).toBe(
      'PC-12 is connected, so it is already awake.',
    ),
  )
})
