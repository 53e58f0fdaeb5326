import { getAgent } from '@muster/contract/api/agents'
import { listAudit } from '@muster/contract/api/audit'
import {
  cancelPendingAction,
  listAgentPendingActions,
  listPendingActions,
} from '@muster/contract/api/pending-actions'
import { planReboot, rebootAgent } from '@muster/contract/api/power'
import { expect, test, vi } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'
import { rebootWhenDue } from './jobs.ts'

async function prepare(server: TestServer) {
  const { url } = await server.listen()
  const site = await server.given.site()
  const agent = await TestAgent.enrol(server, url, site.id)
  const permissions = [
    'can_list_agents',
    'can_reboot_agents',
    'can_list_pendingactions',
    'can_manage_pendingactions',
    'can_view_auditlogs',
  ] as const
  const ada = server.as(await server.given.user({ username: 'ada', permissions }))
  const params = { agent_id: agent.agentId }
  const later = (seconds: number) => new Date(server.clock.now().getTime() + seconds * 1000).toISOString()
  const plan = async (seconds: number) =>
    (await ada.call(planReboot, { params, body: { datetime: later(seconds) } })).body
  const list = async () => (await ada.call(listAgentPendingActions, { params, query: {} })).body
  const count = async () => (await ada.call(getAgent, { params })).body.pending_actions_count
  const written = async () => {
    const { audit_logs } = (await ada.call(listAudit, { body: {} })).body
    return audit_logs.filter(({ action }) => action !== 'agent_install').map(({ message }) => message)
  }
  const isUp = () => vi.waitFor(() => expect(server.app.fleet.links.size).toBe(1))
  const fixture = { agent, ada, params, plan, list, count, written, isUp }
  return { ...fixture, [Symbol.dispose]: () => agent.cut() }
}

test('a planned reboot is listed, and the machine gets it in time for its warning', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, plan, list, count } = fixture
  await agent.connect()
  await fixture.isUp()
  const planned = await plan(3600)
  expect(planned).toMatchObject({ action_type: 'schedreboot', status: 'pending', agent: 'PC-12' })
  expect(planned.time).toBe(planned.due)
  expect(await list()).toMatchObject([{ id: planned.id, description: 'Reboot', username: 'ada' }])
  expect(await count()).toBe(1)
  await server.ctx.jobs.drain()
  expect(agent.frames.filter(({ type }) => type === 'command')).toEqual([])
  server.clock.advance(3301)
  const done = server.ctx.jobs.drain()
  const { payload } = await agent.nextCommand(0)
  expect(payload).toMatchObject({ name: 'plan-power', author: 'ada' })
  const { id, ...input } = Object(payload.input) as { id: string; seconds: number }
  expect(input).toMatchObject({ action: 'reboot', message: '', postponements: 3, if_nobody: 'wait' })
  expect(input.seconds).toBeGreaterThan(290)
  expect(input.seconds).toBeLessThanOrEqual(300)
  agent.send({ type: 'reply', nonce: payload.nonce, refused: null, answer: { due: planned.due } })
  await done
  expect(await list()).toMatchObject([{ status: 'pending', details: { on_machine: true } }])
  const end = { id, state: 'done', at: planned.due, due: planned.due, postponed: 0, reason: null } as const
  const seq = agent.report({ kind: 'power', ...end })
  await agent.next((frame) => frame.type === 'ack' && frame.seq >= seq, 0)
  expect(await list()).toMatchObject([{ status: 'completed', details: { output: 'Restarted.' } }])
  expect(await count()).toBe(0)
})

test('a cancelled reboot does not run, and a new one replaces the old', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, plan, list } = fixture
  await agent.connect()
  const first = await plan(600)
  const second = await plan(1200)
  expect(await list()).toMatchObject([{ id: second.id }])
  expect((await ada.call(cancelPendingAction, { params: { id: first.id } })).error.code).toBe('not_found')
  await ada.call(cancelPendingAction, { params: { id: second.id } })
  expect(await list()).toEqual([])
  server.clock.advance(1300)
  await server.ctx.jobs.drain()
  expect(agent.frames.filter(({ type }) => type === 'command')).toEqual([])
  expect((await fixture.written())[0]).toBe('Cancelled the planned restart')
})

test('a restart that no machine has yet ends at the server, also while the machine is offline', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { ada, plan, list, count } = fixture
  const { id } = await plan(600)
  expect((await ada.call(cancelPendingAction, { params: { id } })).body).toBeNull()
  expect(await list()).toEqual([])
  expect(await count()).toBe(0)
})

test('a new time replaces a restart that the machine has planned already', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, params, plan, list } = fixture
  await agent.connect()
  await fixture.isUp()
  const reply = async (from: number, answer: object) => {
    const { payload } = await agent.nextCommand(from)
    agent.send({ type: 'reply', nonce: payload.nonce, refused: null, answer })
    return payload
  }
  const due = new Date(server.clock.now().getTime() + 300_000).toISOString()
  const warned = ada.call(rebootAgent, { params })
  const { input } = await reply(0, { due })
  await warned
  const from = agent.frames.length
  const later = plan(7200)
  expect(await reply(from, {})).toMatchObject({ name: 'cancel-power', input: { id: Object(input).id } })
  const { id } = await later
  expect(await list()).toMatchObject([{ id, details: { on_machine: false } }])
})

test('a machine that is offline at the time is asked when it reconnects, but not much later', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, plan, list } = fixture
  await plan(60)
  server.clock.advance(61)
  await server.ctx.jobs.drain()
  expect(await list()).toMatchObject([{ status: 'pending' }])
  await agent.connect()
  await fixture.isUp()
  server.clock.advance(61)
  const done = server.ctx.jobs.drain()
  const { payload } = await agent.nextCommand(0)
  agent.send({ type: 'reply', nonce: payload.nonce, refused: 'The system refused: no', answer: null })
  await done
  expect(await list()).toMatchObject([{ details: { output: 'PC-12: The system refused: no' } }])
  agent.cut()
  await plan(60)
  server.clock.advance(3600)
  await server.ctx.jobs.drain()
  expect((await list())[0]?.details.output).toBe(
    'The restart was skipped: PC-12 or the server was offline at its time.',
  )
  expect((await fixture.written())[0]).toBe('Cancelled the planned restart, which was overdue')
})

test('a server killed during the request does not repeat it, and waits for a report', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, plan, list } = fixture
  await agent.connect()
  const { id } = await plan(60)
  server.clock.advance(61)
  await server.ctx.db.updateTable('pending_actions').set({ begun_at: 'then' }).execute()
  await rebootWhenDue(server.ctx, server.app.fleet, id)
  expect(agent.frames.filter(({ type }) => type === 'command')).toEqual([])
  expect(await list()).toMatchObject([{ status: 'pending', details: { on_machine: true } }])
})

test('a time without an offset is in the zone of the machine, and an invalid one is refused at its field', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, params } = fixture
  server.clock.freeze('2026-11-22T12:00:00.000Z')
  const plan = (datetime: string) => ada.call(planReboot, { params, body: { datetime } })
  expect((await plan('2026-11-22T18:35')).error.fields?.datetime?.[0]).toMatch(
    /time zone of PC-12 is unknown/,
  )
  await agent.connect()
  const report = async (zone: string) => {
    const seq = agent.report({ kind: 'facts', facts: { time_zone: zone } } as never)
    await agent.next((frame) => frame.type === 'ack' && frame.seq >= seq, 0)
  }
  await report('America/New_York')
  expect((await plan('2026-11-22T18:35')).body.due).toBe('2026-11-22T23:35:00.000Z')
  // A zone without a name.
  await report('+05:45')
  expect((await plan('2026-11-22T18:35')).body.due).toBe('2026-11-22T12:50:00.000Z')
  await report('+99:99')
  expect((await plan('2026-11-22T18:35')).error.fields?.datetime?.[0]).toMatch(/is unknown/)
  expect((await plan('2026-11-22T13:00+01:00')).error.fields?.datetime).toEqual([
    'This time is over. Choose a later one.',
  ])
  expect((await plan('2028-11-22T13:00Z')).error.fields?.datetime).toEqual(['Choose a time within a year.'])
  expect((await plan('2026-13-45T99:00Z')).error.fields?.datetime).toEqual([
    'This date or time does not exist.',
  ])
  expect((await plan('tomorrow')).error.code).toBe('invalid')
})

test('pending actions of hidden machines can be neither seen nor cancelled', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { id } = await fixture.plan(60)
  const elsewhere = await server.given.site()
  const permissions = ['can_list_pendingactions', 'can_manage_pendingactions'] as const
  const bob = server.as(await server.given.user({ permissions, sites: [elsewhere.id] }))
  expect((await bob.call(listPendingActions, { query: {} })).body).toEqual([])
  expect((await bob.call(cancelPendingAction, { params: { id } })).error.code).toBe('not_found')
  expect(await fixture.list()).toMatchObject([{ id, status: 'pending' }])
})
