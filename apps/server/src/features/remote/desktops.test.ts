import { CHANNEL_KIND, encodeChannelEnd, encodeChannelText } from '@muster/contract/agent/channel'
import { listAudit } from '@muster/contract/api/audit'
import { listOpenTools } from '@muster/contract/api/remote'
import { editCoreSettings, getCoreSettings } from '@muster/contract/api/settings'
import { expect, test, vi } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import type { TestUser } from '../../testing/test-given.ts'
import { getTicket, onceOpen } from '../live/test-console.ts'
import { auditOf, endOf, frameOf, nextDesktop, start } from './test-tool.ts'
import { TestWindow } from './test-window.ts'

async function openDesktop(
  server: TestServer,
  at: { url: string; agentId: string; user: TestUser },
  request: object = { tool: 'desktop', display: null },
) {
  const window = new TestWindow(at.url, at.agentId, at.user)
  await onceOpen(window.socket)
  window.ask(await getTicket(server, at.user), request)
  return window
}

test('a desktop is opened by a signed command, recorded with its end, and never recorded as a terminal', async () => {
  await using server = await createTestServer()
  const at = await start(server)
  const { agent } = at
  const admin = server.as(await server.given.user({ superuser: true }))
  await admin.call(editCoreSettings, { body: { record_terminals: 'all' } })
  const user = await server.given.user({ permissions: ['can_use_mesh'] })
  using window = await openDesktop(server, { ...at, user })
  const { channel, tool, payload } = await nextDesktop(agent)
  expect(payload.author).toBe(user.username)
  expect(tool).toEqual({ tool: 'desktop', session: expect.any(String), display: null })
  expect(window.texts).toEqual([JSON.stringify({ type: 'welcome', recorded: false })])
  agent.sendText(encodeChannelText(channel, { type: 'opened' }))
  agent.sendText(frameOf(channel, CHANNEL_KIND.data, 'RFB 003.008\n'))
  await vi.waitFor(() => expect(window.text).toBe('RFB 003.008\n'))
  agent.report({
    kind: 'session-ended',
    session: tool.session,
    at: new Date().toISOString(),
    exit_code: null,
    reason: 'Closed in the console.',
  })
  agent.sendText(encodeChannelEnd(channel, { code: 'ended', message: 'Over.' }))
  expect(await window.closed).toEqual({ code: 4000, reason: 'ended' })
  await vi.waitFor(async () =>
    expect(await auditOf(server)).toEqual([
      `${user.username}: Opened a desktop on "PC-12"`,
      expect.stringMatching(/^\w+: Ended the desktop on "PC-12" after \d+ s$/),
    ]),
  )
})

test.each([
  ['the desktop', { tool: 'desktop', display: null }],
  ['VNC', { tool: 'vnc', host: 'localhost', port: 5900 }],
])(
  'the right to the terminal does not allow %s, and withdrawing the right ends it at once',
  async (name, request) => {
    await using server = await createTestServer()
    const at = await start(server)
    using refused = await openDesktop(server, at, request)
    expect(await refused.closed).toEqual({ code: 4000, reason: 'not_allowed' })
    expect(refused.end?.message).toBe(`Your role does not allow ${name}.`)
    const user = await server.given.user({ permissions: ['can_use_mesh'] })
    using window = await openDesktop(server, { ...at, user }, request)
    const { channel } = await nextDesktop(at.agent)
    await vi.waitFor(() => expect(server.app.channels.size).toBe(1))
    await server.ctx.db
      .updateTable('roles')
      .set({ permissions: '[]' })
      .where('id', '=', user.roleId)
      .execute()
    server.ctx.emit({ type: 'user.changed', ids: [user.id] })
    expect(await window.closed).toEqual({ code: 4000, reason: 'not_allowed' })
    await vi.waitFor(() => expect(endOf(at.agent, channel)).toMatchObject({ code: 'not_allowed' }))
  },
)

test('a machine that refuses states its reason, and its session ends', async () => {
  await using server = await createTestServer()
  const at = await start(server)
  const user = await server.given.user({ permissions: ['can_use_mesh'] })
  using window = await openDesktop(server, { ...at, user })
  const { channel } = await nextDesktop(at.agent)
  const message = 'No VNC server is installed on this machine.'
  at.agent.sendText(encodeChannelEnd(channel, { code: 'refused', message }))
  expect(await window.closed).toEqual({ code: 4000, reason: 'refused' })
  expect(window.end?.message).toBe(message)
  await vi.waitFor(async () =>
    expect((await auditOf(server)).at(-1)).toContain(
      'Failed to open the desktop on "PC-12": refused by the machine',
    ),
  )
})

test('VNC is signed only for targets that the settings allow', async () => {
  await using server = await createTestServer()
  const at = await start(server)
  const user = await server.given.user({ permissions: ['can_use_mesh'] })
  const open = (host: string, port: number) =>
    openDesktop(server, { ...at, user }, { tool: 'vnc', host, port })
  for (const [host, port] of [
    ['localhost', 22],
    ['10.0.0.5', 5900],
  ] as const) {
    using refused = await open(host, port)
    expect(await refused.closed).toEqual({ code: 4000, reason: 'refused' })
    expect(refused.end?.message).toContain(`VNC to ${host}:${port} is not allowed.`)
  }
  using wrong = await open('a b', 5900)
  expect(await wrong.closed).toMatchObject({ code: 4003 })
  expect(await auditOf(server)).toEqual([])

  const admin = server.as(await server.given.user({ superuser: true }))
  await admin.call(editCoreSettings, { body: { vnc_targets: ['10.0.0.0/24:5900'] } })
  using _window = await open('10.0.0.5', 5900)
  const { tool } = await nextDesktop(at.agent)
  expect(tool).toEqual({ tool: 'vnc', session: expect.any(String), host: '10.0.0.5', port: 5900 })
  expect(at.agent.frames.filter(({ type }) => type === 'command')).toHaveLength(1)
  expect(await auditOf(server)).toEqual([`${user.username}: Opened VNC to 10.0.0.5:5900 on "PC-12"`])
  using own = await open('localhost', 5900)
  expect(await own.closed).toEqual({ code: 4000, reason: 'refused' })
})

test('several users see one desktop, and each can list the others', async () => {
  await using server = await createTestServer()
  const at = await start(server)
  const [ada, ben] = [
    await server.given.user({ permissions: ['can_use_mesh'] }),
    await server.given.user({ permissions: ['can_use_mesh'] }),
  ]
  using first = await openDesktop(server, { ...at, user: ada })
  const { channel } = await nextDesktop(at.agent)
  const from = at.agent.frames.length
  using second = await openDesktop(server, { ...at, user: ben })
  const other = await nextDesktop(at.agent, from)
  const params = { agent_id: at.agentId }
  const { body } = await server.as(ben).call(listOpenTools, { params })
  const there = body.map(({ username, tool }) => `${username}: ${tool}`).toSorted()
  expect(there).toEqual([`${ada.username}: desktop`, `${ben.username}: desktop`].toSorted())
  expect((await server.as(at.user).call(listOpenTools, { params })).status).toBe(403)
  at.agent.sendText(encodeChannelEnd(channel, { code: 'ended', message: 'Over.' }))
  expect(await first.closed).toEqual({ code: 4000, reason: 'ended' })
  at.agent.sendText(frameOf(other.channel, CHANNEL_KIND.data, 'RFB 003.008\n'))
  await vi.waitFor(() => expect(second.text).toBe('RFB 003.008\n'))
})

test('invalid targets are refused, and a change writes an audit row', async () => {
  await using server = await createTestServer()
  const admin = server.as(await server.given.user({ superuser: true }))
  const { body } = await admin.call(getCoreSettings, {})
  expect(body.vnc_targets).toEqual(['localhost:5900-5999'])
  const { error } = await admin.call(editCoreSettings, { body: { vnc_targets: ['localhost'] } })
  expect(error).toMatchObject({ code: 'invalid' })
  await admin.call(editCoreSettings, { body: { vnc_targets: [] } })
  const { body: log } = await admin.call(listAudit, { body: {} })
  expect(log.audit_logs[0]?.message).toBe('Changed the VNC targets to none')
})
