import {
  CHANNEL_KIND,
  encodeChannelEnd,
  encodeChannelFrame,
  readChannelEnd,
} from '@muster/contract/agent/channel'
import { commands } from '@muster/contract/agent/commands'
import { listAudit } from '@muster/contract/api/audit'
import { readEventLog, readMachineLog } from '@muster/contract/api/logs'
import type { LogRequest } from '@muster/contract/channels'
import type { Permission } from '@muster/contract/permissions'
import { expect, test, vi } from 'vitest'
import type { TestUser } from '../../../testing/test-given.ts'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'
import { TestAgent } from '../../agents/test-agent.ts'
import { getTicket, onceOpen } from '../../live/test-console.ts'
import { TestWindow } from '../test-window.ts'

const JOURNAL: LogRequest = {
  tool: 'log',
  source: { kind: 'journal', unit: 'ssh.service', priority: 'warning' },
}
const PATH = Buffer.from('/srv/app.log').toString('base64url')
const ENTRY = { at_ms: 1772366400000, priority: 'err', source: 'sshd', unit: 'ssh.service', pid: 77 } as const

async function prepare(server: TestServer) {
  const { url } = await server.listen()
  const site = await server.given.site()
  const agent = await TestAgent.enrol(server, url, site.id)
  await agent.comeOnline()
  const given = (...permissions: Permission[]) =>
    server.given.user({ username: 'ada', permissions: [...permissions, 'can_view_auditlogs'] })
  const follow = async (user: TestUser, request: LogRequest) => {
    const window = new TestWindow(url, agent.agentId, user)
    const ticket = await getTicket(server, user)
    await onceOpen(window.socket)
    window.socket.send(JSON.stringify({ type: 'hello', ticket, request }))
    return window
  }
  const order = async (from: number) => {
    const { payload } = await agent.nextCommand(from)
    return commands['open-channel'].parse(payload.input)
  }
  return { agent, given, follow, order, params: { agent_id: agent.agentId } }
}

test('the log of a machine is read on request, and invalid responses are refused', async () => {
  await using server = await createTestServer()
  const { agent, given, params } = await prepare(server)
  const ada = server.as(await given('can_view_eventlogs'))
  const query = { unit: 'ssh.service', priority: 'err', since: 100, search: 'disk' } as const
  let from = agent.frames.length
  const answers = async (answer: object) => {
    const { payload } = await agent.nextCommand(from)
    agent.send({ type: 'reply', nonce: payload.nonce, refused: null, answer })
    return payload
  }
  const read = ada.call(readMachineLog, { params, query })
  const found = { entries: [{ ...ENTRY, message: '<b>\u001B[2J' }], complete: true }
  expect(await answers(found)).toMatchObject({
    name: 'read-log',
    author: 'ada',
    input: { unit: 'ssh.service', priority: 'err', since: 100, until: null, search: 'disk' },
  })
  expect((await read).body).toEqual(found)
  from = agent.frames.length
  const again = ada.call(readMachineLog, { params, query: { priority: 'debug', search: '' } })
  await answers({ entries: [{ ...ENTRY, message: 'x'.repeat(100_000) }], complete: true })
  expect((await again).error.detail).toBe('PC-12 sent an unreadable response. Update its agent.')
  from = agent.frames.length
  const events = { log: 'System', event_id: 7034, source: 'Control' }
  const ofWindows = ada.call(readMachineLog, { params, query: { ...query, ...events } })
  const event = { ...ENTRY, event_id: 7034, message: 'It ended.' }
  expect((await answers({ entries: [event], complete: true })).input).toMatchObject(events)
  expect((await ofWindows).body.entries).toEqual([event])
  from = agent.frames.length
  const ofAll = ada.send({
    method: 'GET',
    url: `/agents/${params.agent_id}/logs/?log=System&event_id=%20*%20`,
  })
  expect((await answers({ entries: [event], complete: true })).input).not.toHaveProperty('event_id')
  expect((await ofAll).status).toBe(200)
  for (const id of ['', '**', '46a', '-1', '1.5', '65536', '4,625']) {
    const url = `/agents/${params.agent_id}/logs/?log=System&event_id=${id}`
    expect((await ada.send({ method: 'GET', url })).status).toBe(400)
  }
  for (const log of ['%2Flf:true', '..%5Cx', 'a%26b', '']) {
    const url = `/agents/${params.agent_id}/logs/?log=${log}`
    expect((await ada.send({ method: 'GET', url })).status).toBe(400)
  }
  for (const unit of ['--root=%2F', 'a%2Fb', 'a%0Ab']) {
    const url = `/agents/${params.agent_id}/logs/?unit=${unit}`
    expect((await ada.send({ method: 'GET', url })).status).toBe(400)
  }
})

test('a Windows log of the last days is read in pages, and refused for other systems', async () => {
  await using server = await createTestServer()
  const { agent, given, params } = await prepare(server)
  const ada = server.as(await given('can_view_eventlogs'))
  const of = { params: { ...params, log: 'System', days: '2' } }
  expect((await ada.call(readEventLog, of)).error.code).toBe('agent_refused')
  await server.ctx.db.updateTable('agents').set({ plat: 'windows' }).execute()
  let from = agent.frames.length
  const read = ada.call(readEventLog, of)
  const answers = async (answer: object) => {
    const { payload } = await agent.nextCommand(from)
    from = agent.frames.length
    agent.send({ type: 'reply', nonce: payload.nonce, refused: null, answer })
    return payload
  }
  const event = { ...ENTRY, source: 'Service Control Manager', event_id: 7034, message: 'It ended.' }
  expect((await answers({ entries: [event], complete: false, next: '41' })).input).toMatchObject({
    log: 'System',
    priority: 'debug',
  })
  const older = { ...ENTRY, priority: 'info', message: 'It began.' }
  expect((await answers({ entries: [older], complete: true })).input).toMatchObject({ before: '41' })
  expect((await read).body).toEqual([
    {
      uid: 0,
      time: '2026-03-01T12:00:00.000Z',
      source: 'Service Control Manager',
      eventType: 'ERROR',
      eventID: 7034,
      message: 'It ended.',
    },
    expect.objectContaining({ uid: 1, eventType: 'INFO', eventID: 0 }),
  ])
  for (const days of ['0', '-1', 'x', '1e9']) {
    const url = `/agents/${params.agent_id}/eventlog/System/${days}/`
    expect((await ada.send({ method: 'GET', url })).status).toBe(400)
  }
})

test('a log is followed over a channel, with an audit row', async () => {
  await using server = await createTestServer()
  const { agent, given, follow, order } = await prepare(server)
  const user = await given('can_view_eventlogs')
  const from = agent.frames.length
  using window = await follow(user, JOURNAL)
  const { channel, tool } = await order(from)
  expect(tool).toEqual({ tool: 'log', source: JOURNAL.tool === 'log' ? JOURNAL.source : undefined })
  const payload = Buffer.from('10:00 one\n')
  agent.sendText(encodeChannelFrame({ kind: CHANNEL_KIND.data, channel, payload }))
  await vi.waitFor(() => expect(window.text).toBe('10:00 one\n'))
  agent.sendText(encodeChannelEnd(channel, { code: 'refused', message: 'No journal files were found.' }))
  expect(await window.closed).toEqual({ code: 4000, reason: 'refused' })
  expect(window.end?.message).toBe('No journal files were found.')
  const { audit_logs } = (await server.as(user).call(listAudit, { body: {} })).body
  expect(audit_logs.find(({ object_type }) => object_type === 'log')).toMatchObject({
    action: 'view',
    message: 'Followed the log of "ssh.service"',
    username: 'ada',
  })
  // A view is not a session: nothing waits for it.
  expect(await server.ctx.db.selectFrom('remote_sessions').selectAll().execute()).toEqual([])
})

test('access to logs allows files in the log folder, access to files allows any file', async () => {
  await using server = await createTestServer()
  const { agent, given, follow, order } = await prepare(server)
  const viewer = await given('can_view_eventlogs')
  let from = agent.frames.length
  using below = await follow(viewer, { tool: 'log', source: { kind: 'file', path: PATH } })
  const source = { kind: 'file', path: PATH, anywhere: false }
  expect((await order(from)).tool).toEqual({ tool: 'log', source })
  using refused = await follow(viewer, { tool: 'logfile', path: PATH })
  expect(await refused.closed).toEqual({ code: 4000, reason: 'not_allowed' })
  const ben = await server.given.user({ permissions: ['can_manage_files'] })
  using none = await follow(ben, JOURNAL)
  expect(await none.closed).toEqual({ code: 4000, reason: 'not_allowed' })
  from = agent.frames.length
  using any = await follow(ben, { tool: 'logfile', path: PATH })
  expect((await order(from)).tool).toEqual({ tool: 'log', source: { ...source, anywhere: true } })
  expect([below, any].map(({ end }) => end)).toEqual([undefined, undefined])
})

test('a closed window and a withdrawn right end it on the machine as well', async () => {
  await using server = await createTestServer()
  const { agent, given, follow, order } = await prepare(server)
  const user = await given('can_view_eventlogs')
  const endOf = (channel: number) =>
    vi.waitFor(() => {
      const frame = agent.channelFrames.find(
        (one) => one.channel === channel && one.kind === CHANNEL_KIND.end,
      )
      if (frame === undefined) throw new Error('it goes on')
      return readChannelEnd(frame.payload)
    })
  const first = await follow(user, JOURNAL)
  const opened = await order(0)
  first.socket.terminate()
  expect((await endOf(opened.channel)).code).toBe('detached')
  const from = agent.frames.length
  using second = await follow(user, JOURNAL)
  const { channel } = await order(from)
  await vi.waitFor(() => expect(server.app.channels.size).toBe(1))
  await server.ctx.db.updateTable('roles').set({ permissions: '[]' }).where('id', '=', user.roleId).execute()
  server.ctx.emit({ type: 'user.changed', ids: [user.id] })
  expect(await second.closed).toEqual({ code: 4000, reason: 'not_allowed' })
  expect((await endOf(channel)).code).toBe('not_allowed')
})

test('an offline machine is reported', async () => {
  await using server = await createTestServer()
  const { agent, given, follow, params } = await prepare(server)
  const user = await given('can_view_eventlogs')
  agent.cut()
  await vi.waitFor(() => expect(server.app.fleet.links.size).toBe(0))
  const query = { priority: 'debug', search: '' } as const
  expect((await server.as(user).call(readMachineLog, { params, query })).error.code).toBe('agent_offline')
  using window = await follow(user, JOURNAL)
  expect(await window.closed).toEqual({ code: 4000, reason: 'agent_offline' })
})
