import { generateKeyPairSync } from 'node:crypto'
import { CHANNEL_KIND, encodeChannelText } from '@muster/contract/agent/channel'
import { expect, test, vi } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { frameOf, nextOpening, start } from './test-tool.ts'
import { TestWindow } from './test-window.ts'

const openedAs = (session: string) => ({
  type: 'opened' as const,
  session,
  shell: '/bin/sh',
  user: 'root',
  resumed: false,
})

test('a second agent with the same identity and another key leaves the terminal alone', async () => {
  await using server = await createTestServer()
  const { agent, ...at } = await start(server)
  using window = await TestWindow.open(server, at)
  const { channel, tool } = await nextOpening(agent)
  agent.sendText(encodeChannelText(channel, openedAs(tool.session)))
  const { privateKey } = generateKeyPairSync('ed25519')
  expect(await agent.connect({ key: privateKey })).toMatchObject({ type: 'refused', code: 'bad_signature' })
  // Data of the impostor on this channel number belongs to nobody.
  agent.sendText(frameOf(channel, CHANNEL_KIND.data, 'Password:'))
  window.type('secret')
  await vi.waitFor(() =>
    expect(agent.channelFrames.map(({ payload }) => Buffer.from(payload).toString())).toContain('secret'),
  )
  expect(window.text).toBe('')
  expect(window.end).toBeUndefined()
})

test('a second agent with the same key takes over: the window closes and reopens only its own session', async () => {
  await using server = await createTestServer()
  const { agent, ...at } = await start(server)
  using window = await TestWindow.open(server, at)
  const { channel, tool } = await nextOpening(agent)
  agent.sendText(encodeChannelText(channel, openedAs(tool.session)))
  await vi.waitFor(() => expect(window.frames.some(({ kind }) => kind === CHANNEL_KIND.text)).toBe(true))
  const from = agent.frames.length
  expect(await agent.connect({ sessions: [] })).toMatchObject({ type: 'welcome' })
  expect(await window.closed).toEqual({ code: 4000, reason: 'link_lost' })
  expect(window.end?.message).toBe('The link to the machine was lost.')
  agent.sendText(frameOf(channel, CHANNEL_KIND.data, 'still here?'))
  // It does not know the session, which is then recorded as ended.
  await vi.waitFor(async () => {
    const rows = await server.ctx.db.selectFrom('remote_sessions').select(['id', 'ended_at']).execute()
    expect(rows).toEqual([{ id: tool.session, ended_at: expect.any(String) }])
  })
  using again = await TestWindow.open(server, { ...at, session: tool.session })
  expect(await again.closed).toEqual({ code: 4000, reason: 'not_found' })
  expect(agent.frames.slice(from).filter(({ type }) => type === 'command')).toEqual([])
})
