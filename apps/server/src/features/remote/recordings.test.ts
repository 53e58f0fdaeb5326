import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CHANNEL_KIND, encodeChannelEnd, encodeChannelText } from '@muster/contract/agent/channel'
import { listAudit } from '@muster/contract/api/audit'
import { getRecording, listRemoteSessions, type RecordingPage } from '@muster/contract/api/remote'
import { editCoreSettings } from '@muster/contract/api/settings'
import { expect, test, vi } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { pruneRecordings } from './jobs.ts'
import { endOf, frameOf, nextOpening, start } from './test-tool.ts'
import { TestWindow } from './test-window.ts'

const folderOf = ({ ctx }: TestServer) => join(ctx.config.dataFolder, 'recordings')

/** A window with this output of a machine, closed again. */
async function showAndClose(server: TestServer, at: Awaited<ReturnType<typeof start>>, text: string) {
  const from = at.agent.frames.length
  using window = await TestWindow.open(server, at)
  const { channel, tool } = await nextOpening(at.agent, from)
  const { session } = tool
  at.agent.sendText(
    encodeChannelText(channel, { type: 'opened', session, shell: 'sh', user: 'root', resumed: false }),
  )
  at.agent.sendText(frameOf(channel, CHANNEL_KIND.data, text))
  await vi.waitFor(() => expect(window.text).toBe(text))
  window.socket.send(encodeChannelText(0, { type: 'resize', cols: 120, rows: 40 }))
  window.type('a secret key')
  await vi.waitFor(() => expect(at.agent.channelFrames.length).toBeGreaterThan(1))
  window.socket.send(encodeChannelEnd(0, { code: 'closed', message: 'Closed.' }))
  await vi.waitFor(() => expect(endOf(at.agent, channel)).toMatchObject({ code: 'closed' }))
  window.socket.close()
  await finished(server)
  return { session, welcome: window.texts[0] }
}

const finished = (server: TestServer) =>
  vi.waitFor(async () => {
    const rows = await server.ctx.db.selectFrom('remote_recordings').select('milliseconds').execute()
    expect(rows.every(({ milliseconds }) => milliseconds !== null)).toBe(true)
  })

test('the terminal of a server is recorded, sealed, and played back with the permission', async () => {
  await using server = await createTestServer()
  const at = await start(server)
  const text = `gr\u00fc\u00dfe \u001b[31mrot\u001b[0m`
  const { session, welcome } = await showAndClose(server, at, text)
  expect(JSON.parse(welcome ?? '')).toEqual({ type: 'welcome', recorded: true })
  const viewer = await server.given.user({ permissions: ['can_view_recordings'] })
  const page = await server.as(viewer).call(getRecording, { params: { id: session }, query: {} })
  expect(page.body).toEqual({
    width: 80,
    height: 24,
    events: [
      [expect.any(Number), 'r', '80x24'],
      [expect.any(Number), 'o', text],
      [expect.any(Number), 'r', '120x40'],
    ],
    next: null,
  })
  const [file] = await readdir(folderOf(server))
  const bytes = await readFile(join(folderOf(server), file ?? ''))
  expect(bytes.includes('rot') || bytes.includes('asciicast')).toBe(false)

  const { body } = await server.as(viewer).call(listRemoteSessions, { params: { agent_id: at.agentId } })
  expect(body).toEqual([
    expect.objectContaining({
      id: session,
      username: at.user.username,
      recording: { bytes: bytes.length, problem: null },
    }),
  ])
  const admin = await server.given.user({ superuser: true })
  const { body: log } = await server.as(admin).call(listAudit, { body: { actionFilter: ['view'] } })
  expect(log.audit_logs.map(({ username, message }) => `${username}: ${message}`)).toEqual([
    `${viewer.username}: Viewed the recording of the terminal of ${at.user.username} on "PC-12"`,
  ])
})

test('a recording requires the permission to view recordings and access to the machine', async () => {
  await using server = await createTestServer()
  const at = await start(server)
  const { session } = await showAndClose(server, at, 'x')
  const other = await server.given.client()
  const elsewhere = await server.given.user({ permissions: ['can_view_recordings'], clients: [other.id] })
  for (const [user, status] of [
    [at.user, 403],
    [elsewhere, 404],
  ] as const) {
    const client = server.as(user)
    expect((await client.call(getRecording, { params: { id: session }, query: {} })).status).toBe(status)
    expect((await client.call(listRemoteSessions, { params: { agent_id: at.agentId } })).status).toBe(status)
  }
})

test('workstations are recorded if the settings say so, and nothing if they say none', async () => {
  await using server = await createTestServer()
  const at = await start(server)
  const admin = server.as(await server.given.user({ superuser: true }))
  await server.ctx.db.updateTable('agents').set({ monitoring_type: 'workstation' }).execute()
  const isRecorded = async () => {
    const { welcome } = await showAndClose(server, at, 'x')
    return (JSON.parse(welcome ?? '') as { recorded: boolean }).recorded
  }
  expect(await isRecorded()).toBe(false)
  await admin.call(editCoreSettings, { body: { record_terminals: 'all' } })
  expect(await isRecorded()).toBe(true)
  await server.ctx.db.updateTable('agents').set({ monitoring_type: 'server' }).execute()
  await admin.call(editCoreSettings, { body: { record_terminals: 'none' } })
  expect(await isRecorded()).toBe(false)
})

test('a recording at its maximum size ends, and the terminal continues', async () => {
  await using server = await createTestServer()
  const at = await start(server)
  const admin = server.as(await server.given.user({ superuser: true }))
  await admin.call(editCoreSettings, { body: { recording_max_mb: 1 } })
  using window = await TestWindow.open(server, at)
  const { channel } = await nextOpening(at.agent)
  const page = 'x'.repeat(60_000)
  for (let sent = 1; sent <= 20; sent += 1) {
    at.agent.sendText(frameOf(channel, CHANNEL_KIND.data, page))
    await vi.waitFor(() => expect(window.text.length).toBe(sent * page.length))
    window.credit(page.length)
  }
  window.socket.terminate()
  await finished(server)
  const { body } = await admin.call(listRemoteSessions, { params: { agent_id: at.agentId } })
  expect(body[0]?.recording?.problem).toBe('The recording reached its maximum size.')
  const [first] = body
  const params = { id: first?.id ?? '' }
  let shown = 0
  for (let after: number | null = 0; after !== null;) {
    const { body: part }: { body: RecordingPage } = await admin.call(getRecording, {
      params,
      query: { after },
    })
    for (const [, kind, text] of part.events) if (kind === 'o') shown += text.length
    after = part.next
  }
  expect(shown).toBe(17 * page.length)
})

test('a terminal that cannot be recorded is not opened, and says why', async () => {
  await using server = await createTestServer()
  server.expectLog(/a recording could not be started/)
  const at = await start(server)
  await writeFile(folderOf(server), 'a file where the folder should be')
  using window = await TestWindow.open(server, at)
  expect(await window.closed).toEqual({ code: 4000, reason: 'failed' })
  expect(window.end?.message).toContain('the server cannot write the recording')
})

test('a stopping server stores its recordings completely', async () => {
  const server = await createTestServer()
  const at = await start(server)
  const window = await TestWindow.open(server, at)
  const { channel } = await nextOpening(at.agent)
  at.agent.sendText(frameOf(channel, CHANNEL_KIND.data, 'last words'))
  await vi.waitFor(() => expect(window.text).toBe('last words'))
  await server.app.stop()
  const row = await server.ctx.db.selectFrom('remote_recordings').selectAll().executeTakeFirstOrThrow()
  expect(row.milliseconds).not.toBeNull()
  expect(Number(row.bytes)).toBeGreaterThan(50)
  await server[Symbol.asyncDispose]()
})

test('recordings expire, and so do unknown files', async () => {
  await using server = await createTestServer()
  const at = await start(server)
  const { session } = await showAndClose(server, at, 'old')
  const began = new Date(Date.now() - 60 * 86_400_000).toISOString()
  await server.ctx.db.updateTable('remote_recordings').set({ started_at: began }).execute()
  const { session: young } = await showAndClose(server, at, 'young')
  const admin = server.as(await server.given.user({ superuser: true }))
  await admin.call(editCoreSettings, { body: { recording_keep_days: 30 } })
  await server.ctx.jobs.drain()
  expect(await readdir(folderOf(server))).toHaveLength(1)
  const statusOf = async (id: string) =>
    (await admin.call(getRecording, { params: { id }, query: {} })).status
  expect([await statusOf(session), await statusOf(young)]).toEqual([404, 200])
  await server.ctx.db.deleteFrom('agents').execute()
  server.clock.advance(2 * 3600)
  await pruneRecordings(server.ctx)
  expect(await readdir(folderOf(server))).toEqual([])
})

test('a recording with a missing or changed file says so', async () => {
  await using server = await createTestServer()
  server.expectLog(/a recording could not be read/)
  const at = await start(server)
  const { session } = await showAndClose(server, at, 'x')
  await rm(folderOf(server), { recursive: true })
  const admin = server.as(await server.given.user({ superuser: true }))
  const answer = await admin.call(getRecording, { params: { id: session }, query: {} })
  expect(answer.status).toBe(503)
})
