import { deleteAgent } from '@muster/contract/api/agents'
import { CHANNEL_KIND, encodeChannelEnd, encodeChannelFrame } from '@muster/contract/agent/channel'
import { expect, test, vi } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { getTicket, onceOpen } from '../live/test-console.ts'
import { auditOf, endOf, frameOf, nextOpening, start } from './test-tool.ts'
import { TestWindow } from './test-window.ts'

test('the end of the session or of the right ends the tool within a second', async () => {
  await using server = await createTestServer()
  const { agent, user, ...at } = await start(server)
  using window = await TestWindow.open(server, { ...at, user })
  const first = await nextOpening(agent)
  await vi.waitFor(() => expect(server.app.channels.size).toBe(1))
  await server.ctx.db.updateTable('roles').set({ permissions: '[]' }).where('id', '=', user.roleId).execute()
  server.ctx.emit({ type: 'user.changed', ids: [user.id] })
  expect(await window.closed).toEqual({ code: 4000, reason: 'not_allowed' })
  await vi.waitFor(() => expect(endOf(agent, first.channel)).toMatchObject({ code: 'not_allowed' }))

  const ben = await server.given.user({ permissions: ['can_use_terminal'] })
  const from = agent.frames.length
  using second = await TestWindow.open(server, { ...at, user: ben })
  const opening = await nextOpening(agent, from)
  second.socket.terminate()
  await vi.waitFor(() => expect(endOf(agent, opening.channel)).toMatchObject({ code: 'detached' }))
  const before = agent.frames.length
  await server.ctx.db.deleteFrom('sessions').where('digest', '=', ben.sessionDigest).execute()
  server.ctx.emit({ type: 'session.ended', ids: [ben.sessionDigest] })
  const { payload } = await agent.nextCommand(before)
  expect(payload).toMatchObject({ name: 'end-session', input: { session: opening.tool.session } })
})

test('a terminal continued by another sign-in is recorded, and ends with that sign-in', async () => {
  await using server = await createTestServer()
  const { agent, user, ...at } = await start(server)
  using left = await TestWindow.open(server, { ...at, user })
  const { channel, tool } = await nextOpening(agent)
  left.socket.terminate()
  await vi.waitFor(() => expect(endOf(agent, channel)).toMatchObject({ code: 'detached' }))
  const again = await server.given.anotherSignIn(user)
  const from = agent.frames.length
  using window = await TestWindow.open(server, { ...at, user: again, session: tool.session })
  const second = await nextOpening(agent, from)
  expect(second.tool).toMatchObject({ session: tool.session, resume: true })
  expect((await auditOf(server)).at(-1)).toMatch(
    /^user\d+: Continued the terminal on ".+" with another sign-in$/,
  )
  const signOut = async ({ sessionDigest }: typeof user) => {
    await server.ctx.db.deleteFrom('sessions').where('digest', '=', sessionDigest).execute()
    server.ctx.emit({ type: 'session.ended', ids: [sessionDigest] })
  }
  await signOut(user)
  window.socket.terminate()
  await vi.waitFor(() => expect(endOf(agent, second.channel)).toMatchObject({ code: 'detached' }))
  const before = agent.frames.length
  await signOut(again)
  const { payload } = await agent.nextCommand(before)
  expect(payload).toMatchObject({ name: 'end-session', input: { session: tool.session } })
})

test.each([
  {
    what: 'a user who is deactivated',
    code: 'session_ended',
    withdraw: async ({ ctx }: TestServer, id: number) => {
      await ctx.db.updateTable('users').set({ is_active: 0 }).where('id', '=', id).execute()
      ctx.emit({ type: 'user.changed', ids: [id] })
    },
  },
  {
    what: 'a client that is no longer visible',
    code: 'not_found',
    withdraw: async ({ ctx, given }: TestServer, id: number) => {
      const { role_id } = await ctx.db
        .selectFrom('users')
        .select('role_id')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      const other = await given.client()
      const row = { role_id: Number(role_id), client_id: other.id }
      await ctx.db.insertInto('role_clients').values(row).execute()
      ctx.emit({ type: 'user.changed', ids: [id] })
    },
  },
])('$what loses the terminal on both ends', async ({ code, withdraw }) => {
  await using server = await createTestServer()
  const { agent, user, ...at } = await start(server)
  using window = await TestWindow.open(server, { ...at, user })
  const { channel } = await nextOpening(agent)
  await vi.waitFor(() => expect(server.app.channels.size).toBe(1))
  await withdraw(server, user.id)
  expect(await window.closed).toEqual({ code: 4000, reason: code })
  await vi.waitFor(() => expect(endOf(agent, channel)).toMatchObject({ code }))
})

test('windows of a removed machine close, and it is notified', async () => {
  await using server = await createTestServer()
  const { agent, user, ...at } = await start(server)
  using window = await TestWindow.open(server, { ...at, user })
  const { channel } = await nextOpening(agent)
  await vi.waitFor(() => expect(server.app.channels.size).toBe(1))
  const admin = await server.given.user({ superuser: true })
  await server.as(admin).call(deleteAgent, { params: { agent_id: at.agentId } })
  expect(await window.closed).toEqual({ code: 4000, reason: 'not_found' })
  expect(window.end?.message).toBe('This machine was removed.')
  await vi.waitFor(() => expect(endOf(agent, channel)).toMatchObject({ code: 'not_found' }))
  const rows = await server.ctx.db
    .selectFrom('audit_log')
    .select(['message', 'username', 'after_value'])
    .where('action', '=', 'remote_session')
    .orderBy('id')
    .execute()
  expect(rows.map(({ message, username }) => [username, message])).toEqual([
    [user.username, expect.stringMatching(/^Opened a terminal on/)],
    [user.username, expect.stringMatching(/^Ended the terminal on ".*" after/)],
  ])
  expect(rows[1]?.after_value).toContain('The machine was removed.')
})

test('a ticket opens one window', async () => {
  await using server = await createTestServer()
  const { agent, user, ...at } = await start(server)
  const ticket = await getTicket(server, user)
  using first = new TestWindow(at.url, at.agentId, user)
  await onceOpen(first.socket)
  first.hello(ticket)
  await nextOpening(agent)
  using second = new TestWindow(at.url, at.agentId, user)
  await onceOpen(second.socket)
  second.hello(ticket)
  expect(await second.closed).toMatchObject({ code: 4001 })
  expect(second.frames).toEqual([])
})

test('neither a channel number nor a session of another user leads to their terminal', async () => {
  await using server = await createTestServer()
  const { agent, user, ...at } = await start(server)
  using own = await TestWindow.open(server, { ...at, user })
  const first = await nextOpening(agent)
  const mallory = await server.given.user({ permissions: ['can_use_terminal'] })
  const from = agent.frames.length
  using other = await TestWindow.open(server, { ...at, user: mallory })
  const second = await nextOpening(agent, from)

  const payload = Buffer.from('rm -rf /')
  other.socket.send(encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: first.channel, payload }))
  await vi.waitFor(() => expect(agent.channelFrames.at(-1)?.channel).toBe(second.channel))
  expect(agent.channelFrames.filter(({ channel }) => channel === first.channel)).toEqual([])
  other.socket.send(encodeChannelEnd(first.channel, { code: 'closed', message: 'Closed.' }))
  await vi.waitFor(() => expect(endOf(agent, second.channel)).toMatchObject({ code: 'closed' }))
  agent.sendText(frameOf(first.channel, CHANNEL_KIND.data, 'still here'))
  await vi.waitFor(() => expect(own.text).toBe('still here'))

  using thief = await TestWindow.open(server, { ...at, user: mallory, session: first.tool.session })
  expect(await thief.closed).toEqual({ code: 4000, reason: 'not_found' })
  expect(own.end).toBeUndefined()
})
