import { encodeChannelEnd } from '@muster/contract/agent/channel'
import type { JoinMode } from '@muster/contract/channels'
import { listOpenTerminals, listRemoteSessions } from '@muster/contract/api/remote'
import { expect, test, vi } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { getTicket, onceOpen } from '../live/test-console.ts'
import { auditOf, endOf, nextOpening, start } from './test-tool.ts'
import { TestWindow } from './test-window.ts'

const MAY_JOIN = ['can_use_terminal', 'can_join_terminals'] as const

/** Anna's terminal is open, and Ben may join it. */
async function givenOpenTerminal(server: TestServer) {
  const { agent, user: anna, url, agentId } = await start(server)
  const own = await TestWindow.open(server, { url, agentId, user: anna })
  const owner = await nextOpening(agent)
  const ben = await server.given.user({ username: 'ben', permissions: MAY_JOIN })
  const join = async (mode: JoinMode, more: { user?: typeof ben; session?: string } = {}) => {
    const from = agent.frames.length
    const window = new TestWindow(url, agentId, more.user ?? ben)
    const ticket = await getTicket(server, more.user ?? ben)
    await onceOpen(window.socket)
    const wanted = { session: more.session ?? owner.tool.session, mode }
    window.ask(ticket, { tool: 'terminal', session: null, cols: 80, rows: 24, join: wanted })
    return { window, opening: () => nextOpening(agent, from) }
  }
  return { agent, anna, ben, own, owner, join, agentId }
}

test('a colleague joins an open terminal, which is signed, audited and recorded', async () => {
  await using server = await createTestServer()
  const { agent, anna, ben, owner, join, agentId } = await givenOpenTerminal(server)
  const params = { agent_id: agentId }
  const { body: open } = await server.as(ben).call(listOpenTerminals, { params })
  expect(open).toEqual([
    { session: owner.tool.session, username: anna.username, started_at: expect.any(String) },
  ])
  const { opening } = await join('view')
  const { channel, tool, payload } = await opening()
  expect(payload.author).toBe('ben')
  expect(tool).toMatchObject({ resume: true, join: { session: owner.tool.session, mode: 'view' } })
  expect(tool.session).not.toBe(owner.tool.session)
  agent.report({
    kind: 'session-ended',
    session: tool.session,
    at: new Date().toISOString(),
    exit_code: null,
    reason: 'The window was closed.',
  })
  agent.sendText(encodeChannelEnd(channel, { code: 'closed', message: 'Closed.' }))
  await vi.waitFor(async () =>
    expect(await auditOf(server)).toEqual([
      `${anna.username}: Opened a terminal on "PC-12", recorded`,
      `ben: Joined the terminal of ${anna.username} read-only on "PC-12", recorded`,
      expect.stringMatching(
        new RegExp(`^ben: Left the terminal of ${anna.username} on "PC-12" after \\d+ s$`),
      ),
    ]),
  )
  const root = server.as(await server.given.user({ superuser: true }))
  const [visit, own] = (await root.call(listRemoteSessions, { params })).body
  expect(visit).toMatchObject({ username: 'ben', joined_session: owner.tool.session })
  expect(visit?.recording).not.toBeNull()
  expect(own).toMatchObject({ id: owner.tool.session, ended_at: null, joined_session: null })
})

test('a withdrawn right to join ends that window within a second, and no other', async () => {
  await using server = await createTestServer()
  const { agent, ben, own, owner, join } = await givenOpenTerminal(server)
  const { window, opening } = await join('type')
  const { channel } = await opening()
  await vi.waitFor(() => expect(server.app.channels.size).toBe(2))
  const permissions = JSON.stringify(['can_use_terminal'])
  await server.ctx.db.updateTable('roles').set({ permissions }).where('id', '=', ben.roleId).execute()
  server.ctx.emit({ type: 'user.changed', ids: [ben.id] })
  expect(await window.closed).toEqual({ code: 4000, reason: 'not_allowed' })
  await vi.waitFor(() => expect(endOf(agent, channel)).toMatchObject({ code: 'not_allowed' }))
  expect(endOf(agent, owner.channel)).toBeUndefined()
  expect(own.end).toBeUndefined()
})

test('a user who may not join, or an unknown terminal, is refused before the machine is asked', async () => {
  await using server = await createTestServer()
  const { agent, join, agentId } = await givenOpenTerminal(server)
  const from = agent.frames.length
  const cleo = await server.given.user({ permissions: ['can_use_terminal'] })
  const refused = await join('view', { user: cleo })
  expect(await refused.window.closed).toEqual({ code: 4000, reason: 'not_allowed' })
  const status = async (user: typeof cleo) =>
    (await server.as(user).call(listOpenTerminals, { params: { agent_id: agentId } })).status
  expect(await status(cleo)).toBe(403)
  const unknown = await join('type', { session: crypto.randomUUID() })
  expect(await unknown.window.closed).toEqual({ code: 4000, reason: 'not_found' })
  expect(unknown.window.end?.message).toBe('This terminal has ended. Open a new one.')
  expect(agent.frames.slice(from).filter(({ type }) => type === 'command')).toEqual([])
})

test('a joined session can be neither joined nor continued', async () => {
  await using server = await createTestServer()
  const { ben, join, agentId, agent } = await givenOpenTerminal(server)
  const { opening } = await join('view')
  const { tool } = await opening()
  const again = await join('view', { session: tool.session })
  expect(await again.window.closed).toEqual({ code: 4000, reason: 'not_found' })
  const url = again.window.socket.url.replace('ws', 'http').replace(/\/ws\/.*/, '')
  using resumed = await TestWindow.open(server, { url, agentId, user: ben, session: tool.session })
  expect(await resumed.closed).toEqual({ code: 4000, reason: 'not_found' })
  expect(agent.channelFrames).toEqual([])
})
