import {
  CHANNEL_KIND,
  CHANNEL_WINDOW_BYTES,
  encodeChannelEnd,
  encodeCredit,
  MAX_CHANNELS,
} from '@muster/contract/agent/channel'
import { expect, test, vi } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { getTicket, onceOpen, upgradeStatus } from '../live/test-console.ts'
import { auditOf, endOf, frameOf, nextOpening, start } from './test-tool.ts'
import { TestWindow } from './test-window.ts'

test('bytes travel both ways on a channel opened by a signed command, and its session is recorded', async () => {
  await using server = await createTestServer()
  const { agent, user, ...at } = await start(server)
  using window = await TestWindow.open(server, { ...at, user })
  const { channel, tool, payload } = await nextOpening(agent)
  expect(payload.author).toBe(user.username)
  expect(tool).toMatchObject({ tool: 'terminal', resume: false, cols: 80, rows: 24 })
  agent.sendText(frameOf(channel, CHANNEL_KIND.data, 'from the machine'))
  await vi.waitFor(() => expect(window.text).toBe('from the machine'))
  window.type('from the person')
  await vi.waitFor(() =>
    expect(
      agent.channelFrames.map((frame) => [frame.channel, Buffer.from(frame.payload).toString()]),
    ).toEqual([[channel, 'from the person']]),
  )
  agent.report({
    kind: 'session-ended',
    session: tool.session,
    at: new Date().toISOString(),
    exit_code: 3,
    reason: 'The shell has ended.',
  })
  agent.sendText(encodeChannelEnd(channel, { code: 'ended', message: 'The shell has ended.' }))
  expect(await window.closed).toEqual({ code: 4000, reason: 'ended' })
  expect(window.end).toEqual({ code: 'ended', message: 'The shell has ended.' })
  await vi.waitFor(async () =>
    expect(await auditOf(server)).toEqual([
      `${user.username}: Opened a terminal on "PC-12", recorded`,
      expect.stringMatching(/^\w+: Ended the terminal on "PC-12" after \d+ s$/),
    ]),
  )
})

test('input sent with the hello is not lost', async () => {
  await using server = await createTestServer()
  const { agent, user, ...at } = await start(server)
  const ticket = await getTicket(server, user)
  using window = new TestWindow(at.url, at.agentId, user)
  await onceOpen(window.socket)
  window.hello(ticket)
  for (const key of ['e', 'a', 'r', 'l', 'y']) window.type(key)
  const { channel } = await nextOpening(agent)
  await vi.waitFor(() => {
    const frames = agent.channelFrames.filter((frame) => frame.channel === channel)
    expect(frames.map(({ payload }) => Buffer.from(payload).toString()).join('')).toBe('early')
  })
})

test('without permission, visibility or ticket there is no channel, and the machine receives nothing', async () => {
  await using server = await createTestServer()
  const { agent, user, ...at } = await start(server)
  const other = await server.given.client()
  const without = await server.given.user({ permissions: ['can_send_cmd'] })
  const elsewhere = await server.given.user({ permissions: ['can_use_terminal'], clients: [other.id] })
  for (const [person, code] of [
    [without, 'not_allowed'],
    [elsewhere, 'not_found'],
  ] as const) {
    using window = await TestWindow.open(server, { ...at, user: person })
    expect(await window.closed).toEqual({ code: 4000, reason: code })
  }
  using thief = new TestWindow(at.url, at.agentId, elsewhere)
  const ticket = await getTicket(server, user)
  await onceOpen(thief.socket)
  thief.hello(ticket)
  expect(await thief.closed).toMatchObject({ code: 4001 })
  using guess = new TestWindow(at.url, at.agentId)
  guess.socket.once('open', () => guess.hello('not-a-ticket'))
  expect(await guess.closed).toMatchObject({ code: 4001 })
  using noHello = new TestWindow(at.url, at.agentId)
  noHello.socket.once('open', () => noHello.type('x'))
  expect(await noHello.closed).toMatchObject({ code: 4003 })
  using stranger = await TestWindow.open(server, { ...at, user, session: crypto.randomUUID() })
  expect(await stranger.closed).toEqual({ code: 4000, reason: 'not_found' })
  const path = `/ws/agent/${at.agentId}/channel/`
  expect(await upgradeStatus(at.url, { origin: 'http://evil.example' }, path)).toBe(403)
  expect(agent.frames.filter(({ type }) => type === 'command')).toEqual([])
  expect(agent.channelFrames).toEqual([])
})

test('neither side can fill the memory of the server: exceeding the window ends the channel on both', async () => {
  await using server = await createTestServer()
  const { agent, user, ...at } = await start(server)
  using window = await TestWindow.open(server, { ...at, user })
  const { channel } = await nextOpening(agent)
  const page = new Uint8Array(32 * 1024)
  for (let sent = 0; sent <= CHANNEL_WINDOW_BYTES; sent += page.length)
    agent.sendText(frameOf(channel, CHANNEL_KIND.data, page))
  expect(await window.closed).toEqual({ code: 4000, reason: 'over_window' })
  await vi.waitFor(() => expect(endOf(agent, channel)).toMatchObject({ code: 'over_window' }))

  const from = agent.frames.length
  using greedy = await TestWindow.open(server, { ...at, user })
  const second = await nextOpening(agent, from)
  greedy.socket.send(encodeCredit(0, 1))
  expect(await greedy.closed).toEqual({ code: 4000, reason: 'over_window' })
  await vi.waitFor(() => expect(endOf(agent, second.channel)).toMatchObject({ code: 'over_window' }))
})

test('invalid frames end at most their channel, and the link stays', async () => {
  await using server = await createTestServer()
  const { agent, user, ...at } = await start(server)
  using window = await TestWindow.open(server, { ...at, user })
  const { channel } = await nextOpening(agent)
  agent.sendText(Buffer.from([1, 2]))
  agent.sendText(frameOf(4_000_000_000, CHANNEL_KIND.data, 'to nobody'))
  await vi.waitFor(() => expect(endOf(agent, 4_000_000_000)).toMatchObject({ code: 'not_found' }))
  agent.sendText(frameOf(channel, CHANNEL_KIND.data, 'fine'))
  await vi.waitFor(() => expect(window.text).toBe('fine'))
  agent.sendText(frameOf(channel, CHANNEL_KIND.data, new Uint8Array(65 * 1024)))
  expect(await window.closed).toEqual({ code: 4000, reason: 'bad_frame' })
  expect(agent.isOpen).toBe(true)
})

test('a failure of one side ends the other', async () => {
  await using server = await createTestServer()
  const { agent, user, ...at } = await start(server)
  const lost = await TestWindow.open(server, { ...at, user })
  const first = await nextOpening(agent)
  lost.socket.terminate()
  await vi.waitFor(() => expect(endOf(agent, first.channel)).toMatchObject({ code: 'detached' }))

  using back = await TestWindow.open(server, { ...at, user, session: first.tool.session })
  const again = await nextOpening(agent, agent.frames.length)
  expect(again.tool).toMatchObject({ session: first.tool.session, resume: true })
  agent.cut()
  expect(await back.closed).toEqual({ code: 4000, reason: 'link_lost' })
  await vi.waitFor(async () => {
    using offline = await TestWindow.open(server, { ...at, user })
    expect(await offline.closed).toEqual({ code: 4000, reason: 'agent_offline' })
  })
  // The agent was restarted and has no sessions.
  await agent.connect({ sessions: [] })
  await vi.waitFor(async () => expect((await auditOf(server)).at(-1)).toContain('Ended the terminal'))
})

test('a machine has a limited number of channels, and a stopping server ends all of them on both sides', async () => {
  const server = await createTestServer()
  const { url, agentId, user, agent } = await start(server)
  const at = { url, agentId }
  const windows: TestWindow[] = []
  for (let count = 0; count < MAX_CHANNELS; count += 1)
    windows.push(await TestWindow.open(server, { ...at, user }))
  await vi.waitFor(() => expect(server.app.channels.size).toBe(MAX_CHANNELS))
  using more = await TestWindow.open(server, { ...at, user })
  expect(await more.closed).toEqual({ code: 4000, reason: 'too_many' })
  await server[Symbol.asyncDispose]()
  await Promise.all(windows.map(({ closed }) => closed))
  expect(new Set(windows.map(({ end }) => end?.code))).toEqual(new Set(['server_stopping']))
  const ended = agent.channelFrames.filter(({ kind }) => kind === CHANNEL_KIND.end)
  expect(ended).toHaveLength(MAX_CHANNELS)
})
