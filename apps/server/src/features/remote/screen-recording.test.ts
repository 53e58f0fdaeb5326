import { CHANNEL_KIND, encodeChannelEnd, encodeChannelText } from '@muster/contract/agent/channel'
import { listAudit } from '@muster/contract/api/audit'
import {
  getRecording,
  getScreenRecording,
  listRemoteSessions,
  type ScreenEvent,
} from '@muster/contract/api/remote'
import { setRemoteAccess } from '@muster/contract/api/remote-access'
import { editCoreSettings } from '@muster/contract/api/settings'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { NO_SETTINGS } from './access/queries.ts'
import { getTicket, onceOpen } from '../live/test-console.ts'
import { auditOf, endOf, frameOf, nextDesktop, start } from './test-tool.ts'
import { TestWindow } from './test-window.ts'

const VERSION = 'RFB 003.008\n'
const PIXEL_FORMAT = Buffer.from('000000002018000100ff00ff00ff000810000000', 'hex')
const POINTER = Buffer.from([5, 0, 1, 44, 0, 200])
const CHALLENGE = 'sixteen bytes ..'

/** A window on the desktop of a machine whose client has desktops recorded. */
async function openRecorded(
  server: TestServer,
  settings: object = { record_desktops: 'all' },
  request: object = { tool: 'desktop', display: null },
) {
  const at = await start(server)
  const admin = server.as(await server.given.user({ superuser: true }))
  const { client_id: client } = await server.ctx.db
    .selectFrom('sites')
    .select('client_id')
    .executeTakeFirstOrThrow()
  await admin.call(setRemoteAccess, {
    params: { level: 'client', id: `${client}` },
    body: { ...NO_SETTINGS, ...settings },
  })
  await admin.call(editCoreSettings, {
    body: { desktop_recording_max_mb: 3, vnc_targets: ['10.0.0.5:5900'] },
  })
  const user = await server.given.user({ permissions: ['can_use_mesh'] })
  const window = new TestWindow(at.url, at.agentId, user)
  await onceOpen(window.socket)
  window.ask(await getTicket(server, user), request)
  return { at, admin, user, window }
}

/** The requested channel of the machine, and both sides of a handshake on it. */
async function talk({ at, window }: Awaited<ReturnType<typeof openRecorded>>) {
  const { channel, tool, recorded } = await nextDesktop(at.agent)
  let said = 0
  const machine = async (bytes: Uint8Array | string) => {
    at.agent.sendText(frameOf(channel, CHANNEL_KIND.data, bytes))
    said += bytes.length
    await vi.waitFor(() => expect(window.bytes.length).toBe(said))
  }
  let typed = 0
  const person = async (bytes: Uint8Array | string) => {
    window.type(bytes)
    typed += bytes.length
    await vi.waitFor(() => {
      const frames = at.agent.channelFrames.filter((frame) => frame.channel === channel && frame.kind === 0)
      expect(frames.reduce((sum, frame) => sum + frame.payload.length, 0)).toBe(typed)
    })
  }
  at.agent.sendText(encodeChannelText(channel, { type: 'opened' }))
  return { channel, session: tool.session, recorded, machine, person }
}

async function signIn({ machine, person }: Pick<Awaited<ReturnType<typeof talk>>, 'machine' | 'person'>) {
  await machine(VERSION)
  await person(VERSION)
  await machine(Uint8Array.of(1, 2))
  await person(Uint8Array.of(2))
  await machine(CHALLENGE)
  await person('sixteen response')
  await machine(Uint8Array.of(0, 0, 0, 0))
  await person(Uint8Array.of(1))
}

const finished = (server: TestServer) =>
  vi.waitFor(async () => {
    const row = await server.ctx.db.selectFrom('remote_recordings').selectAll().executeTakeFirstOrThrow()
    expect(row.milliseconds).not.toBeNull()
    return row
  })

const bytesOf = (events: ScreenEvent[]) =>
  Buffer.concat(events.flatMap(([, kind, text]) => (kind === 's' ? [Buffer.from(text, 'base64')] : [])))

test('a desktop is recorded if its client requires it: from ServerInit on, without passwords and keys', async () => {
  await using server = await createTestServer()
  const opened = await openRecorded(server)
  const { window, user, at } = opened
  const { machine, person, channel, session, recorded } = await talk(opened)
  expect(recorded).toBe(true)
  expect(JSON.parse(window.texts[0] ?? '')).toEqual({ type: 'welcome', recorded: true })
  await signIn({ machine, person })
  const init = Buffer.alloc(24, 7)
  await machine(init)
  await person(PIXEL_FORMAT)
  await person(POINTER)
  await person('\u0004\u0001\0\0\0\0\0k')
  const picture = Buffer.alloc(60_000, 9)
  await machine(picture)
  window.socket.send(encodeChannelEnd(0, { code: 'closed', message: 'Closed.' }))
  await vi.waitFor(() => expect(endOf(at.agent, channel)).toMatchObject({ code: 'closed' }))
  window.socket.close()
  await finished(server)

  const viewer = server.as(await server.given.user({ permissions: ['can_view_recordings'] }))
  const { body: page } = await viewer.call(getScreenRecording, { params: { id: session }, query: {} })
  expect(page).toMatchObject({ milliseconds: expect.any(Number), next: null })
  expect(bytesOf(page.events).equals(Buffer.concat([init, picture]))).toBe(true)
  expect(page.events.filter(([, kind]) => kind === 'p').map(([, , text]) => text)).toEqual(['300,200'])
  expect((await viewer.call(getRecording, { params: { id: session }, query: {} })).status).toBe(404)
  const [file] = await readdir(join(server.ctx.config.dataFolder, 'recordings'))
  const sealed = await readFile(join(server.ctx.config.dataFolder, 'recordings', file ?? ''))
  expect(sealed.includes(Buffer.alloc(64, 9))).toBe(false)
  const { body: sessions } = await viewer.call(listRemoteSessions, { params: { agent_id: at.agentId } })
  expect(sessions[0]).toMatchObject({ tool: 'desktop', recording: { bytes: sealed.length, problem: null } })
  expect(await auditOf(server)).toContain(`${user.username}: Opened a desktop on "PC-12", recorded`)
})

test('VNC to another target is recorded and played like a desktop, with audit rows', async () => {
  await using server = await createTestServer()
  const target = { tool: 'vnc', host: '10.0.0.5', port: 5900 }
  const opened = await openRecorded(server, undefined, target)
  const { window, user, at, admin } = opened
  const { machine, person, channel, session, recorded } = await talk(opened)
  expect([recorded, window.texts[0]]).toEqual([true, '{"type":"welcome","recorded":true}'])
  await signIn({ machine, person })
  await machine(Buffer.alloc(24, 7))
  const end = { kind: 'session-ended', session, exit_code: null, reason: 'Closed in the console.' } as const
  at.agent.report({ ...end, at: new Date().toISOString() })
  at.agent.sendText(encodeChannelEnd(channel, { code: 'ended', message: 'Over.' }))
  expect(await window.closed).toEqual({ code: 4000, reason: 'ended' })
  await finished(server)
  const { body } = await admin.call(getScreenRecording, { params: { id: session }, query: {} })
  expect(bytesOf(body.events).equals(Buffer.alloc(24, 7))).toBe(true)
  await vi.waitFor(async () =>
    expect(await auditOf(server)).toEqual([
      `${user.username}: Opened VNC to 10.0.0.5:5900 on "PC-12", recorded`,
      expect.stringMatching(/^\w+: Ended VNC on "PC-12" after \d+ s$/),
    ]),
  )
  const { body: log } = await admin.call(listAudit, { body: { actionFilter: ['view'] } })
  expect(log.audit_logs[0]?.message).toBe(`Viewed the recording of the VNC of ${user.username} on "PC-12"`)
})

test('a desktop is not recorded by default', async () => {
  await using server = await createTestServer()
  const opened = await openRecorded(server, {})
  const { recorded } = await talk(opened)
  expect(recorded).toBeUndefined()
  expect(JSON.parse(opened.window.texts[0] ?? '')).toEqual({ type: 'welcome', recorded: false })
  opened.window.socket.terminate()
})

test('a desktop that cannot be recorded is not opened, and says why', async () => {
  await using server = await createTestServer()
  server.expectLog(/a recording could not be started/)
  await writeFile(join(server.ctx.config.dataFolder, 'recordings'), 'a file where the folder should be')
  const { window, at } = await openRecorded(server)
  expect(await window.closed).toEqual({ code: 4000, reason: 'failed' })
  expect(window.end?.message).toContain('the server cannot write the recording')
  expect(at.agent.frames.filter(({ type }) => type === 'command')).toEqual([])
})

test.each([
  [
    'an unknown authentication method',
    Uint8Array.of(30),
    /authentication method of the VNC server is not supported/,
  ],
  ['another format of pictures', undefined, /picture format/],
])('%s ends a desktop that must be recorded', async (_, choice, sentence) => {
  await using server = await createTestServer()
  const opened = await openRecorded(server)
  const { machine, person } = await talk(opened)
  if (choice === undefined) {
    await signIn({ machine, person })
    opened.window.type(Buffer.alloc(20, 3))
  } else {
    await machine(VERSION)
    await person(VERSION)
    opened.window.type(choice)
  }
  expect(await opened.window.closed).toEqual({ code: 4000, reason: 'refused' })
  expect(opened.window.end?.message).toMatch(sentence)
  expect((await finished(server)).problem).toMatch(sentence)
})

test('another format in mid-session ends a recorded desktop before its machine receives it', async () => {
  await using server = await createTestServer()
  const opened = await openRecorded(server)
  const { machine, person, channel } = await talk(opened)
  await signIn({ machine, person })
  await machine(Buffer.alloc(24, 7))
  await person(PIXEL_FORMAT)
  const other = Buffer.from(PIXEL_FORMAT).fill(8, 4, 6)
  await person(Buffer.concat([POINTER, other.subarray(0, 3)]))
  opened.window.type(other.subarray(3))
  expect(await opened.window.closed).toEqual({ code: 4000, reason: 'refused' })
  expect(opened.window.end?.message).toMatch(/picture format/)
  expect((await finished(server)).problem).toMatch(/picture format/)
  const pointerFrames = opened.at.agent.channelFrames.filter(
    (frame) => frame.channel === channel && frame.kind === 0,
  )
  expect(pointerFrames.at(-1)?.payload).toHaveLength(POINTER.length + 3)
})

test('a recorded desktop at its maximum size continues, and many pages are one stream', async () => {
  await using server = await createTestServer()
  const opened = await openRecorded(server)
  const { machine, person, session } = await talk(opened)
  await signIn({ machine, person })
  const picture = Buffer.alloc(60_000, 5)
  for (let count = 0; count < 60; count += 1) {
    await machine(picture)
    opened.window.credit(picture.length)
  }
  opened.window.socket.terminate()
  await vi.waitFor(async () => {
    const { body } = await opened.admin.call(listRemoteSessions, { params: { agent_id: opened.at.agentId } })
    const { recording } = body.find(({ id }) => id === session) ?? {}
    expect(recording?.problem).toBe('The recording reached its maximum size.')
  })
  let shown = 0
  let pages = 0
  for (let after: number | null = 0; after !== null; pages += 1) {
    const query: { after: number } = { after }
    const answer = await opened.admin.call(getScreenRecording, { params: { id: session }, query })
    shown += bytesOf(answer.body.events).length
    after = answer.body.next
  }
  expect([shown, pages]).toEqual([52 * picture.length, 2])
})
