import { confirmSession } from '@muster/contract/api/sessions'
import { editRole, listRoles } from '@muster/contract/api/roles'
import { editCoreSettings } from '@muster/contract/api/settings'
import { Secret, TOTP } from 'otpauth'
import { expect, test, vi } from 'vitest'
import type { TestUser, UserOptions } from '../../testing/test-given.ts'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { getTicket, onceOpen } from '../live/test-console.ts'
import { nextDesktop, nextOpening, start } from './test-tool.ts'
import { TestWindow } from './test-window.ts'

const MINUTE = 60

/** The code of the user's app, some 30-second steps from now. */
function codeOf({ totpKey = '' }: TestUser, server: TestServer, steps = 0): string {
  const timestamp = server.clock.now().getTime() + steps * 30_000
  return new TOTP({ secret: Secret.fromBase32(totpKey) }).generate({ timestamp })
}

async function givenStrict(server: TestServer, more: UserOptions = {}) {
  const at = await start(server)
  const user = await server.given.user({
    permissions: ['can_use_terminal'],
    codeForRemote: true,
    totp: true,
    ...more,
  })
  const confirm = (twofactor: string) => server.as(user).call(confirmSession, { body: { twofactor } })
  return { ...at, user, confirm }
}

test('a second factor is required again before a terminal if the role says so', async () => {
  await using server = await createTestServer()
  const { confirm, ...at } = await givenStrict(server)
  using refused = await TestWindow.open(server, at)
  expect(await refused.closed).toEqual({ code: 4000, reason: 'code_needed' })
  expect(refused.end?.message).toContain('requires a code of your authenticator app')
  expect(await server.ctx.db.selectFrom('remote_sessions').select('id').execute()).toEqual([])

  const { status, body } = await confirm(codeOf(at.user, server))
  expect(status).toBe(200)
  const secondsLeft = (Date.parse(body.until) - server.clock.now().getTime()) / 1000
  expect(Math.round(secondsLeft / MINUTE)).toBe(10)
  using opened = await TestWindow.open(server, at)
  const first = await nextOpening(at.agent)
  expect(opened.end).toBeUndefined()

  // An open session continues, a new one needs a new code.
  server.clock.advance(11 * MINUTE)
  const from = at.agent.frames.length
  opened.socket.terminate()
  using again = await TestWindow.open(server, { ...at, session: first.tool.session })
  expect(await nextOpening(at.agent, from)).toMatchObject({ tool: { resume: true } })
  using later = await TestWindow.open(server, at)
  expect(await later.closed).toMatchObject({ reason: 'code_needed' })
  expect(again.end).toBeUndefined()
})

test.each([
  { tool: 'desktop', display: null },
  { tool: 'vnc', host: 'localhost', port: 5901 },
  { tool: 'vnc', host: '10.0.0.5', port: 5900 },
])('a code is required before $tool to $host:$port as well', async (request) => {
  await using server = await createTestServer()
  const { confirm, ...at } = await givenStrict(server, { permissions: ['can_use_mesh'] })
  const admin = server.as(await server.given.user({ superuser: true }))
  await admin.call(editCoreSettings, { body: { vnc_targets: ['localhost:5900-5999', '10.0.0.0/24:5900'] } })
  const open = async () => {
    const window = new TestWindow(at.url, at.agentId, at.user)
    await onceOpen(window.socket)
    window.ask(await getTicket(server, at.user), request)
    return window
  }
  using refused = await open()
  expect(await refused.closed).toEqual({ code: 4000, reason: 'code_needed' })
  const what = request.tool === 'vnc' ? 'VNC' : 'a desktop'
  expect(refused.end?.message).toContain(`before ${what} is opened`)
  expect(at.agent.frames.filter(({ type }) => type === 'command')).toEqual([])
  expect((await confirm(codeOf(at.user, server))).status).toBe(200)
  using window = await open()
  expect((await nextDesktop(at.agent)).tool).toMatchObject(request)
  expect(window.end).toBeUndefined()
})

test('a wrong or used code is refused with a sentence, and guessing is slowed down', async () => {
  await using server = await createTestServer()
  server.clock.freeze('2026-11-27T10:00:18Z')
  const { confirm, user } = await givenStrict(server)
  const good = codeOf(user, server)
  expect((await confirm(good)).status).toBe(200)
  const used = await confirm(good)
  expect([used.status, used.error?.detail]).toEqual([
    400,
    'This code was used. Wait for the next one (12 s).',
  ])
  const wrong = codeOf(user, server, 40)
  const answers = []
  for (let count = 0; count < 6; count += 1) answers.push(await confirm(wrong))
  expect(answers[0]?.error?.detail).toContain('This code is wrong.')
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 429])
  // Even the right code is refused now.
  expect((await confirm(codeOf(user, server, 1))).status).toBe(429)
  server.clock.advance(5 * MINUTE)
  expect((await confirm(codeOf(user, server))).status).toBe(200)
  const rows = await server.ctx.db.selectFrom('audit_log').select('message').orderBy('id').execute()
  const messages = rows.map(({ message }) => message)
  expect(messages.at(-1)).toBe(`Confirmed "${user.username}" with a code`)
  expect(messages.filter((message) => message.startsWith('Failed to confirm'))).toHaveLength(6)
})

test('a user without a second factor has to set it up', async () => {
  await using server = await createTestServer()
  const { confirm, ...at } = await givenStrict(server, { totp: false })
  using window = await TestWindow.open(server, at)
  expect(await window.closed).toEqual({ code: 4000, reason: 'not_allowed' })
  expect(window.end?.message).toContain('Set up two-factor sign-in first')
  expect((await confirm('123456')).status).toBe(409)
})

test('a code is not required by other roles, or after a recent sign-in with a code', async () => {
  await using server = await createTestServer()
  const { confirm, ...at } = await givenStrict(server)
  expect(confirm).toBeDefined()
  const now = server.clock.now().toISOString()
  await server.ctx.db
    .updateTable('sessions')
    .set({ code_at: now })
    .where('digest', '=', at.user.sessionDigest)
    .execute()
  using window = await TestWindow.open(server, at)
  await nextOpening(at.agent)
  await vi.waitFor(() => expect(server.app.channels.size).toBe(1))
  expect(window.end).toBeUndefined()
})

test('only a superuser can make a role require a code', async () => {
  await using server = await createTestServer()
  const at = await start(server)
  const admin = server.as(await server.given.user({ superuser: true }))
  const id = Number(at.user.roleId)
  const body = { require_2fa_for_remote: true }
  const other = server.as(await server.given.user({ permissions: ['can_manage_accounts'] }))
  expect((await other.call(editRole, { params: { id }, body })).status).toBe(403)
  expect((await admin.call(editRole, { params: { id: 4711 }, body })).status).toBe(404)
  expect((await admin.call(editRole, { params: { id }, body })).body).toMatchObject({ id, ...body })
  const { body: roles } = await admin.call(listRoles, {})
  expect(roles.find((role) => role.id === id)).toMatchObject({ user_count: 1, ...body })
  using window = await TestWindow.open(server, at)
  expect(await window.closed).toMatchObject({ reason: 'not_allowed' })
})
