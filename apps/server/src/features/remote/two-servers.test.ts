import { CHANNEL_KIND, encodeChannelEnd, encodeChannelText } from '@muster/contract/agent/channel'
import type { SessionChangesView } from '@muster/contract/agent/remote'
import {
  getSessionChanges,
  getRecording,
  getScreenRecording,
  listOpenTerminals,
} from '@muster/contract/api/remote'
import { setRemoteAccess } from '@muster/contract/api/remote-access'
import { editRole } from '@muster/contract/api/roles'
import { endUserSessions } from '@muster/contract/api/sessions'
import { expect, test, vi } from 'vitest'
import { createTwoServers } from '../../testing/test-two-servers.ts'
import { NO_SETTINGS } from './access/queries.ts'
import { getTicket, onceOpen } from '../live/test-console.ts'
import { auditOf, endOf, frameOf, nextDesktop, nextOpening, start } from './test-tool.ts'
import { TestWindow } from './test-window.ts'

const QUIET = { state: 'collected' as const, added: [], removed: [], changed: [], left_out: 0 }
const CHANGES: SessionChangesView = {
  from: '2026-11-22T10:00:00.000Z',
  to: '2026-11-22T10:10:00.000Z',
  interrupted: false,
  parts: {
    packages: { ...QUIET, added: [{ name: 'vim', state: '1.1' }] },
    services: QUIET,
    files: QUIET,
    users: QUIET,
    ports: QUIET,
  },
}

/** A machine at the other server, and a user whose browser uses this one. */
async function prepare() {
  const two = await createTwoServers()
  const { here, there, hereUrl } = two
  const at = await start(there)
  const root = here.as(await there.given.user({ superuser: true }))
  return {
    ...at,
    here,
    there,
    root,
    rootThere: there.as(await there.given.user({ superuser: true })),
    atHere: { url: hereUrl, agentId: at.agentId },
    [Symbol.asyncDispose]: async () => {
      at.agent.cut()
      await two[Symbol.asyncDispose]()
    },
  }
}

/** At once: a job that runs once a minute would close it too. */
async function closedSoon(window: TestWindow, since: number) {
  const { reason } = await window.closed
  expect(performance.now() - since).toBeLessThan(30_000)
  return reason
}

test('a terminal recorded here is played there, and its changes are read on both', async () => {
  await using fixture = await prepare()
  const { agent, user, here, there, atHere, root, rootThere } = fixture
  using window = await TestWindow.open(here, { ...atHere, user })
  const { channel, tool } = await nextOpening(agent)
  const { session } = tool
  agent.sendText(frameOf(channel, CHANNEL_KIND.data, 'shown far away'))
  await vi.waitFor(() => expect(window.text).toBe('shown far away'))
  window.type('a key')
  await vi.waitFor(() => expect(Buffer.from(agent.channelFrames[0]?.payload ?? []).toString()).toBe('a key'))
  agent.report({
    kind: 'session-ended',
    session,
    at: CHANGES.to,
    exit_code: 0,
    reason: 'The shell has ended.',
  })
  agent.report({ kind: 'session-receipt', session, receipt: CHANGES })
  agent.sendText(encodeChannelEnd(channel, { code: 'ended', message: 'The shell has ended.' }))
  expect(await window.closed).toEqual({ code: 4000, reason: 'ended' })
  const params = { id: session }
  for (const reader of [root, rootThere]) {
    await vi.waitFor(async () => {
      const { body } = await reader.call(getRecording, { params, query: {} })
      expect(body.events.map(([, , text]) => text)).toContain('shown far away')
      expect((await reader.call(getSessionChanges, { params })).body).toEqual(CHANGES)
    })
  }
  expect(await auditOf(there)).toEqual([
    `${user.username}: Opened a terminal on "PC-12", recorded`,
    expect.stringMatching(/^\w+: Ended the terminal on "PC-12" after \d+ s$/),
  ])
})

/** SetPixelFormat: 32 bits per pixel, red lowest. */
const AS_NOVNC_WANTS = Buffer.from('000000002018000100ff00ff00ff000810000000', 'hex').toString('latin1')

test('a desktop is viewed and controlled across servers, and the other plays its recording', async () => {
  await using fixture = await prepare()
  const { agent, here, there, atHere, root, rootThere } = fixture
  await root.call(setRemoteAccess, {
    params: { level: 'agent', id: atHere.agentId },
    body: { ...NO_SETTINGS, record_desktops: 'all' },
  })
  const user = await there.given.user({ permissions: ['can_use_mesh'] })
  using window = new TestWindow(atHere.url, atHere.agentId, user)
  await onceOpen(window.socket)
  window.ask(await getTicket(here, user), { tool: 'desktop', display: null })
  const { channel, tool } = await nextDesktop(agent)
  agent.sendText(encodeChannelText(channel, { type: 'opened' }))
  let shown = 0
  const show = async (bytes: Uint8Array | string) => {
    agent.sendText(frameOf(channel, CHANNEL_KIND.data, bytes))
    shown += bytes.length
    await vi.waitFor(() => expect(window.bytes.length).toBe(shown))
  }
  const typed = () =>
    Buffer.concat(
      agent.channelFrames
        .filter((one) => one.channel === channel && one.kind === 0)
        .map((one) => one.payload),
    ).toString('latin1')
  const type = async (text: string) => {
    const before = typed()
    window.type(Buffer.from(text, 'latin1'))
    await vi.waitFor(() => expect(typed()).toBe(before + text))
  }
  await show('RFB 003.008\n')
  await type('RFB 003.008\n')
  await show(Uint8Array.of(1, 1))
  await type('\u0001')
  await show(Uint8Array.of(0, 0, 0, 0))
  await type('\u0001')
  const picture = Buffer.alloc(60_000, 9)
  await show(Buffer.alloc(24, 7))
  await show(picture)
  await type(`${AS_NOVNC_WANTS}\u0004\u0001\0\0\0\0\0k`)
  window.socket.send(encodeChannelEnd(0, { code: 'closed', message: 'Closed.' }))
  await vi.waitFor(() => expect(endOf(agent, channel)).toMatchObject({ code: 'closed' }))
  window.socket.close()
  const params = { id: tool.session }
  await vi.waitFor(async () => {
    const { body } = await rootThere.call(getScreenRecording, { params, query: {} })
    const stream = body.events.flatMap(([, kind, text]) =>
      kind === 's' ? [Buffer.from(text, 'base64')] : [],
    )
    expect(Buffer.concat(stream).subarray(-picture.length).equals(picture)).toBe(true)
  })
})

test('a colleague whose browser uses the other server joins a terminal', async () => {
  await using fixture = await prepare()
  const { agent, user, here, there, atHere, url, agentId } = fixture
  using own = await TestWindow.open(here, { ...atHere, user })
  const owner = await nextOpening(agent)
  const ben = await there.given.user({ permissions: ['can_use_terminal', 'can_join_terminals'] })
  const { body } = await there.as(ben).call(listOpenTerminals, { params: { agent_id: agentId } })
  expect(body).toMatchObject([{ session: owner.tool.session, username: user.username }])
  const from = agent.frames.length
  using guest = new TestWindow(url, agentId, ben)
  await onceOpen(guest.socket)
  const join = { session: owner.tool.session, mode: 'type' }
  guest.ask(await getTicket(there, ben), { tool: 'terminal', session: null, cols: 80, rows: 24, join })
  const visit = await nextOpening(agent, from)
  expect(visit.tool).toMatchObject({ join })
  for (const { channel } of [owner, visit]) agent.sendText(frameOf(channel, CHANNEL_KIND.data, 'both see it'))
  await vi.waitFor(() => expect([own.text, guest.text]).toEqual(['both see it', 'both see it']))
})

test('a right withdrawn at the other server ends the tool here at once', async () => {
  await using fixture = await prepare()
  const { agent, user, here, there, atHere, rootThere } = fixture
  using window = await TestWindow.open(here, { ...atHere, user })
  const first = await nextOpening(agent)
  await vi.waitFor(() => expect(here.app.channels.size).toBe(1))
  let since = performance.now()
  await rootThere.call(editRole, { params: { id: Number(user.roleId) }, body: { can_use_terminal: false } })
  expect(await closedSoon(window, since)).toBe('not_allowed')
  await vi.waitFor(() => expect(endOf(agent, first.channel)).toMatchObject({ code: 'not_allowed' }))

  const cleo = await there.given.user({ permissions: ['can_use_terminal'] })
  using second = await TestWindow.open(here, { ...atHere, user: cleo })
  const next = await nextOpening(agent, agent.frames.length)
  await vi.waitFor(() => expect(here.app.channels.size).toBe(1))
  since = performance.now()
  await rootThere.call(endUserSessions, { params: { id: cleo.id } })
  expect(await closedSoon(second, since)).toBe('session_ended')
  await vi.waitFor(() => expect(endOf(agent, next.channel)).toMatchObject({ code: 'session_ended' }))
})
