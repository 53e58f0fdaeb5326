import { CHANNEL_KIND, encodeChannelEnd } from '@muster/contract/agent/channel'
import { expect, test, vi } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { auditOf, nextOpening, start } from './test-tool.ts'
import { TestWindow } from './test-window.ts'

const sessionsOf = ({ ctx }: TestServer) =>
  ctx.db.selectFrom('remote_sessions').select(['id', 'ended_at', 'reason']).orderBy('started_at').execute()

test.each(['too_many', 'refused', 'not_found'] as const)(
  'a channel that the machine ends with %s leaves no open session',
  async (code) => {
    await using server = await createTestServer()
    const { agent, user, ...at } = await start(server)
    using window = await TestWindow.open(server, { ...at, user })
    const { channel, tool } = await nextOpening(agent)
    agent.sendText(encodeChannelEnd(channel, { code, message: 'No.' }))
    expect(await window.closed).toEqual({ code: 4000, reason: code })
    await vi.waitFor(async () =>
      expect(await sessionsOf(server)).toEqual([
        { id: tool.session, ended_at: expect.any(String), reason: 'No.' },
      ]),
    )
  },
)

test('a command that the machine refuses unread is shown in the window, and its session ends', async () => {
  await using server = await createTestServer()
  const { agent, user, ...at } = await start(server)
  using window = await TestWindow.open(server, { ...at, user })
  const { channel, payload } = await nextOpening(agent)
  const sentence = 'The machine refused the command: its clock is ten minutes slow.'
  agent.send({ type: 'reply', nonce: 'another', refused: sentence, answer: null })
  agent.send({ type: 'reply', nonce: payload.nonce, refused: sentence, answer: null })
  expect(await window.closed).toEqual({ code: 4000, reason: 'refused' })
  expect(window.end?.message).toBe(sentence)
  await vi.waitFor(async () => expect((await sessionsOf(server))[0]?.reason).toBe(sentence))
  expect(agent.channelFrames.map((frame) => [frame.channel, frame.kind])).toEqual([
    [channel, CHANNEL_KIND.end],
  ])
})

test('refusals of the machine are audited with their reason', async () => {
  await using server = await createTestServer()
  const { agent, user, ...at } = await start(server)
  using window = await TestWindow.open(server, { ...at, user })
  const { payload } = await nextOpening(agent)
  const refused = 'Remote tools are disabled on this machine.'
  agent.send({ type: 'reply', nonce: payload.nonce, refused, answer: null })
  expect(await window.closed).toEqual({ code: 4000, reason: 'refused' })
  expect(window.end?.message).toBe(refused)
  const { hostname } = await server.ctx.db.selectFrom('agents').select('hostname').executeTakeFirstOrThrow()
  await vi.waitFor(async () =>
    expect(await auditOf(server)).toEqual([
      `${user.username}: Opened a terminal on "${hostname}", recorded`,
      `${user.username}: Failed to open the terminal on "${hostname}": refused by the machine`,
    ]),
  )
})

test('a silent machine is given up, and its session ends', async () => {
  await using server = await createTestServer()
  const { agent, user, ...at } = await start(server)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    using window = await TestWindow.open(server, { ...at, user })
    await nextOpening(agent)
    vi.advanceTimersByTime(15_000)
    expect(await window.closed).toEqual({ code: 4000, reason: 'refused' })
    expect(window.end?.message).toContain('did not respond within 15 seconds')
  } finally {
    vi.useRealTimers()
  }
  await vi.waitFor(async () => expect((await sessionsOf(server))[0]?.ended_at).not.toBeNull())
})

test('a window that cannot be recorded is closed instead of hanging', async () => {
  await using server = await createTestServer()
  const { agent, user, ...at } = await start(server)
  server.expectLog(/channel work failed/)
  await server.ctx.db.schema.alterTable('remote_sessions').renameTo('remote_sessions_gone').execute()
  using window = await TestWindow.open(server, { ...at, user })
  expect(await window.closed).toEqual({
    code: 1011,
    reason: 'The server could not open the tool. Try again.',
  })
  expect(agent.channelFrames).toEqual([])
})
