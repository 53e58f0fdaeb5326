import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { CHANNEL_KIND, encodeChannelEnd, encodeChannelText } from '@muster/contract/agent/channel'
import { listAudit } from '@muster/contract/api/audit'
import { getDashInfo } from '@muster/contract/api/system'
import { getRecording } from '@muster/contract/api/remote'
import { editCoreSettings } from '@muster/contract/api/settings'
import { checkWebTermPermission, listWebTermSessions, WEBTERM_PATH } from '@muster/contract/api/webterm'
import { expect, test, vi } from 'vitest'
import type { TestUser, UserOptions } from '../../../testing/test-given.ts'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'
import { getTicket, onceOpen, upgradeStatus } from '../../live/test-console.ts'
import { TestWindow } from '../test-window.ts'
import { endLostWebTerminals, markOf } from './end-web-terminal.ts'

async function prepare(server: TestServer, options: UserOptions = {}) {
  const { url } = await server.listen()
  const user = await server.given.user({ username: 'ada', superuser: true, ...options })
  const root = server.as(await server.given.user({ superuser: true }))
  const switchTo = (isOn: boolean) =>
    root.call(editCoreSettings, { body: { enable_server_webterminal: isOn } })
  await switchTo(true)
  const open = async (as: TestUser = user) => {
    const window = new TestWindow(url, '', as, WEBTERM_PATH)
    await onceOpen(window.socket)
    window.ask(await getTicket(server, as), { tool: 'webterm', cols: 80, rows: 24 })
    return window
  }
  const audit = async () => {
    const { body } = await root.call(listAudit, { body: { objectFilter: ['webterminal'] } })
    return body.audit_logs.map(({ message, username }) => `${username}: ${message}`).toReversed()
  }
  return { url, user, root, switchTo, open, audit }
}

/** Runs a line, and waits for its output. */
async function run(window: TestWindow, line: string, printed: string | RegExp) {
  window.type(`${line}\r`)
  await vi.waitFor(() => expect(window.text).toMatch(printed))
}

const textsOf = (window: TestWindow) =>
  window.frames
    .filter(({ kind }) => kind === CHANNEL_KIND.text)
    .map(({ payload }): unknown => JSON.parse(Buffer.from(payload).toString()))

test('a superuser gets a shell of the server, recorded, and without its secrets', async () => {
  await using server = await createTestServer()
  const { open, audit, root } = await prepare(server)
  expect((await root.call(getDashInfo, {})).body.web_terminal_enabled).toBe(true)
  vi.stubEnv('MUSTER_ADMIN_PASSWORD', 'hunter2')
  using window = await open()
  await vi.waitFor(() => expect(textsOf(window)[0]).toMatchObject({ type: 'opened', host: hostname() }))
  expect(window.texts).toEqual(['{"type":"welcome","recorded":true}'])
  window.socket.send(encodeChannelText(0, { type: 'resize', cols: 101, rows: 33 }))
  await run(window, 'stty size; tty; env | grep -c MUSTER_', /33 101[^]*\/dev\/pts\/\d+\r\n0\r\n/)
  await run(window, 'exit 3', 'exit')
  expect(await window.closed).toEqual({ code: 4000, reason: 'ended' })
  expect(textsOf(window).at(-1)).toEqual({ type: 'exit', exit_code: 3 })
  vi.unstubAllEnvs()
  const sessions = async () => (await root.call(listWebTermSessions, {})).body
  await vi.waitFor(async () => expect((await sessions())[0]?.ended_at).not.toBeNull())
  const [session] = await sessions()
  expect(session).toMatchObject({
    host: hostname(),
    username: 'ada',
    exit_code: 3,
    recording: { problem: null },
  })
  expect(session?.recording?.bytes).toBeGreaterThan(0)
  const params = { id: session?.id ?? '' }
  const { body } = await root.call(getRecording, { params, query: {} })
  expect(body.events.map(([, , text]) => text).join('')).toContain('/dev/pts/')
  expect(body.events.map(([, , text]) => text)).toContain('101x33')
  expect(await audit()).toEqual([
    `ada: Opened the web terminal on "${hostname()}"`,
    expect.stringMatching(/^ada: Ended the web terminal on ".+" after \d+ s$/),
    expect.stringContaining(`Viewed the recording of the web terminal of ada on "${hostname()}"`),
  ])
})

test('it is off by default, for superusers only, requires a code, and refuses foreign pages', async () => {
  await using server = await createTestServer()
  const { open, switchTo, url, root, audit } = await prepare(server)
  const refused = async (as?: TestUser) => {
    using window = await open(as)
    const { reason } = await window.closed
    return { reason, message: window.end?.message }
  }
  const other = await server.given.user({ permissions: ['can_view_recordings', 'can_use_terminal'] })
  expect(await refused(other)).toEqual({
    reason: 'not_allowed',
    message: 'Only a superuser may open the web terminal.',
  })
  expect((await server.as(other).call(listWebTermSessions, {})).status).toBe(403)
  const strict = await server.given.user({
    superuser: true,
    codeForRemote: true,
    totp: true,
    permissions: [],
  })
  expect(await refused(strict)).toMatchObject({ reason: 'code_needed' })
  await switchTo(false)
  expect(await refused()).toEqual({
    reason: 'not_allowed',
    message: 'The web terminal is switched off. A superuser can switch it on in the global settings.',
  })
  expect((await root.call(getDashInfo, {})).body.web_terminal_enabled).toBe(false)
  expect(await upgradeStatus(url, { origin: 'http://evil.example' }, WEBTERM_PATH)).toBe(403)
  using guess = new TestWindow(url, '', undefined, WEBTERM_PATH)
  guess.socket.once('open', () => guess.ask('no ticket', { tool: 'webterm', cols: 80, rows: 24 }))
  expect(await guess.closed).toMatchObject({ code: 4001 })
  expect(await audit()).toEqual([])
})

test('a script for the reference can ask whether the web terminal may be opened', async () => {
  await using server = await createTestServer()
  const { switchTo, root, user } = await prepare(server)
  const ok = await root.call(checkWebTermPermission, {})
  expect([ok.status, ok.body]).toEqual([200, 'ok'])
  // Such scripts send no body.
  const bare = await server.as(user).send({ method: 'POST', url: '/core/webtermperms/' })
  expect([bare.status, bare.text]).toEqual([200, '"ok"'])
  const other = server.as(await server.given.user({ permissions: ['can_use_terminal'] }))
  expect((await other.call(checkWebTermPermission, {})).error).toMatchObject({ code: 'not_allowed' })
  expect((await server.anonymous.call(checkWebTermPermission, {})).status).toBe(401)
  await switchTo(false)
  const off = await root.call(checkWebTermPermission, {})
  expect([off.status, off.error]).toEqual([
    412,
    expect.objectContaining({
      code: 'switched_off',
      detail: 'The web terminal is switched off. A superuser can switch it on in the global settings.',
    }),
  ])
  expect((await other.call(checkWebTermPermission, {})).status).toBe(403)
})

test.each([
  ['the setting', async ({ switchTo }: Setup) => switchTo(false), 'not_allowed'],
  [
    'the right',
    async ({ user }: Setup, { ctx }: TestServer) => {
      await ctx.db.updateTable('users').set({ is_superuser: 0 }).where('id', '=', user.id).execute()
      ctx.emit({ type: 'user.changed', ids: [user.id] })
    },
    'not_allowed',
  ],
  [
    'the session',
    async ({ user }: Setup, { ctx }: TestServer) => {
      await ctx.db.deleteFrom('sessions').where('digest', '=', user.sessionDigest).execute()
      ctx.emit({ type: 'session.ended', ids: [user.sessionDigest] })
    },
    'session_ended',
  ],
  ['its window', async (_: Setup, _server: TestServer, window: TestWindow) => window.socket.terminate(), ''],
])('it closes at once with %s, and leaves no process running', async (_name, take, reason) => {
  await using server = await createTestServer()
  const fixture = await prepare(server)
  using window = await fixture.open()
  const away = `setsid sh -c 'trap "" HUP; echo away:$$: ; exec sleep 600' &`
  await run(window, `${away} sh -c 'echo pid:$$: ; exec sleep 600'`, /(pid|away):\d+:[^]*(pid|away):\d+:/)
  const pids = [...window.text.matchAll(/(?:pid|away):(\d+):/g)].map(([, pid]) => Number(pid))
  expect(pids.map(isThere)).toEqual([true, true])
  const before = performance.now()
  await take(fixture, server, window)
  const closed = await window.closed
  // A job that runs once a minute would close it too.
  expect(performance.now() - before).toBeLessThan(30_000)
  expect(closed.reason).toBe(reason)
  await vi.waitFor(() => expect(pids.map(isThere)).toEqual([false, false]))
  await vi.waitFor(async () => expect(await fixture.audit()).toHaveLength(2))
})

test('floods and invalid data of a window do no harm, and a slow one is waited for', async () => {
  await using server = await createTestServer()
  const { open } = await prepare(server)
  using slow = await open()
  slow.type('head -c 3000000 /dev/zero | tr "\\0" x; echo\r')
  await vi.waitFor(() => expect(slow.text.length).toBeGreaterThan(200_000))
  let credited = 0
  while (slow.text.length < 1_000_000) {
    const seen = slow.text.length
    // More than was read would end the session.
    slow.credit(seen - credited)
    credited = seen
    await vi.waitFor(() => expect(slow.text.length).toBeGreaterThan(seen))
  }
  slow.socket.send(encodeChannelEnd(0, { code: 'closed', message: '' }))
  expect(await slow.closed).toMatchObject({ reason: 'closed' })
  using greedy = await open()
  await vi.waitFor(() => expect(textsOf(greedy)).toHaveLength(1))
  greedy.credit(300_000)
  expect(await greedy.closed).toMatchObject({ reason: 'over_window' })
  using wrong = await open()
  await vi.waitFor(() => expect(textsOf(wrong)).toHaveLength(1))
  wrong.socket.send(Buffer.from([9, 9]))
  expect(await wrong.closed).toMatchObject({ reason: 'bad_frame' })
})

test('shells of a killed server process are recorded as ended, and their processes are killed', async () => {
  await using server = await createTestServer()
  const { audit } = await prepare(server)
  const started_at = server.ctx.now().toISOString()
  const left = spawn('sleep', ['600'], { env: { ...process.env, ...markOf(HERE) } })
  const ended = once(left, 'exit')
  const row = { process_id: crypto.randomUUID(), username: 'ben' }
  const entries = [
    { id: crypto.randomUUID(), host: 'gone' },
    { id: HERE, host: hostname() },
  ]
  await server.ctx.db
    .insertInto('web_terminals')
    .values(
      entries.map((entry) => ({
        ...row,
        ...entry,
        ip_address: '10.0.0.7',
        started_at,
        ended_at: null,
        exit_code: null,
        reason: null,
        recorded: 1,
        recording_bytes: 0,
        recording_problem: null,
      })),
    )
    .execute()
  await endLostWebTerminals(server.ctx)
  await endLostWebTerminals(server.ctx)
  expect((await audit()).map((line) => line.replace(/\d+ s$/, '0 s')).toSorted()).toEqual(
    entries.map(({ host }) => `ben: Ended the web terminal on "${host}" after 0 s`).toSorted(),
  )
  expect(await ended).toEqual([null, 'SIGKILL'])
})

const HERE = crypto.randomUUID()
type Setup = Awaited<ReturnType<typeof prepare>>

/** A zombie counts as ended. */
function isThere(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
