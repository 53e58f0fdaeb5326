import { CHANNEL_WINDOW_BYTES } from '@muster/contract/agent/channel'
import { beginUpload, dropUpload, finishUpload, UPLOAD_BYTES_PATH } from '@muster/contract/api/files'
import { expect, test, vi } from 'vitest'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'
import { fileAudit, givenMachine, nextChannel, raw } from './test-machine.ts'

const UPLOAD = '11111111-1111-4111-8111-111111111111'
const PATH = raw('/srv/big.iso')

async function prepare(server: TestServer) {
  const fixture = await givenMachine(server)
  const { agent, ada, url } = fixture
  const address = UPLOAD_BYTES_PATH.replace(':agent_id', agent.agentId).replace(':upload', UPLOAD)
  /** Sends bytes like the console. */
  const put = (bytes: Buffer, { offset = 0, client = ada } = {}) =>
    fetch(`${url}${address}?path=${PATH}&offset=${offset}`, {
      method: 'PUT',
      headers: {
        'content-type': 'application/octet-stream',
        origin: url,
        cookie: [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        authorization: `Token ${client.token}`,
        'x-xsrf-token': client.cookies.get('XSRF-TOKEN') ?? '',
      },
      body: new Uint8Array(bytes),
    })
  async function answered<Answer>(call: () => Promise<Answer>, more: object) {
    const from = agent.frames.length
    const asked = call()
    const { payload } = await agent.nextCommand(from)
    agent.send({ type: 'reply', nonce: payload.nonce, refused: null, answer: null, ...more })
    return { payload, answer: await asked }
  }
  return { ...fixture, put, answered, [Symbol.dispose]: () => agent.cut() }
}

test('bytes are sent at the pace of the machine, which reports its progress', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const bytes = Buffer.alloc(600_000, 'abc')
  const response = fixture.put(bytes, { offset: 7 })
  const channel = await nextChannel(fixture.agent)
  expect(channel.order).toEqual({ task: 'write', path: PATH, upload: UPLOAD, offset: 7 })
  channel.text({ type: 'ready', size: 7 })
  await vi.waitFor(() => expect(channel.received().length).toBeGreaterThan(CHANNEL_WINDOW_BYTES - 32_768))
  expect(channel.received().length).toBeLessThanOrEqual(CHANNEL_WINDOW_BYTES)
  let given = 0
  await vi.waitFor(() => {
    const behind = channel.received().length - given
    given += behind
    if (behind > 0) channel.give(behind)
    expect(given).toBe(bytes.length)
  })
  expect(channel.received().equals(bytes)).toBe(true)
  await vi.waitFor(() => expect(channel.messages()).toEqual([{ type: 'done' }]))
  channel.text({ type: 'written', size: 600_007 })
  channel.end()
  expect(await (await response).json()).toEqual({ size: 600_007 })
})

test('refusals of the machine are shown, and a lost link interrupts an upload', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const full = fixture.put(Buffer.alloc(10))
  ;(await nextChannel(fixture.agent)).end('refused', 'The disk is full.')
  expect(await (await full).json()).toMatchObject({
    code: 'agent_refused',
    detail: 'PC-12: The disk is full.',
  })
  const from = fixture.agent.frames.length
  const lost = fixture.put(Buffer.alloc(10))
  await nextChannel(fixture.agent, from)
  fixture.agent.cut()
  expect(await (await lost).json()).toMatchObject({ code: 'unavailable' })
})

test('a withdrawn right ends an upload within a second, with a reason', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const response = fixture.put(Buffer.alloc(600_000))
  const channel = await nextChannel(fixture.agent)
  channel.text({ type: 'ready', size: 0 })
  await vi.waitFor(() => expect(channel.received().length).toBeGreaterThan(0))
  await server.ctx.transaction(async (tx, emit) => {
    await tx.updateTable('roles').set({ permissions: '[]' }).execute()
    emit({ type: 'user.changed', ids: [] })
  })
  expect(await channel.ended()).toMatchObject({ code: 'not_allowed' })
  const answer = await response
  expect([answer.status, await answer.json()]).toEqual([
    403,
    expect.objectContaining({ detail: 'Your role does not allow the files.' }),
  ])
})

test('without the permission no bytes are sent, and a request is limited in size', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const ben = server.as(await server.given.user({ permissions: ['can_use_terminal'] }))
  expect((await fixture.put(Buffer.alloc(1), { client: ben })).status).toBe(403)
  const stranger = server.as(await server.given.user({ permissions: ['can_manage_files'] }))
  stranger.token = 'A'.repeat(43)
  expect((await fixture.put(Buffer.alloc(1), { client: stranger })).status).toBe(401)
  expect((await fixture.put(Buffer.alloc(1), { offset: -1 })).status).toBe(400)
  expect((await fixture.put(Buffer.alloc(17 * 1024 * 1024))).status).toBe(413)
  expect(fixture.agent.frames.filter(({ type }) => type === 'command')).toEqual([])
})

test('an upload is audited from start to end, also an abandoned one', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { ada, user, params, agent, answered } = fixture
  const begun = await answered(() => ada.call(beginUpload, { params, body: { path: PATH, size: 2048 } }), {
    answer: { size: 0 },
  })
  const { upload } = begun.answer.body
  const at = { ...params, upload }
  const finish = async (code: 'ended' | 'refused', message?: string) => {
    const from = agent.frames.length
    const body = { path: PATH, size: 2048, hash: 'a'.repeat(64) }
    const asked = ada.call(finishUpload, { params: at, body })
    ;(await nextChannel(agent, from)).end(code, message)
    return asked
  }
  const refused = await finish('refused', 'The file was damaged during the transfer. Upload it again.')
  expect(refused.error.detail).toBe('PC-12: The file was damaged during the transfer. Upload it again.')
  expect((await finish('ended')).status).toBe(200)
  await answered(() => ada.call(dropUpload, { params: at, query: { path: PATH } }), { answer: {} })
  expect(await fileAudit(server, user)).toEqual([
    'ada: Started uploading "/srv/big.iso" (2 KB)',
    'ada: Failed to upload "/srv/big.iso"',
    'ada: Uploaded "/srv/big.iso" (2 KB)',
    'ada: Cancelled the upload of "/srv/big.iso"',
  ])
})

test('a machine may take longer than 15 seconds to compare the hash of a large file', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { agent, ada, params, answered } = fixture
  const begun = await answered(
    () => ada.call(beginUpload, { params, body: { path: PATH, size: 2048, replace: false } }),
    { answer: { size: 0 } },
  )
  const at = { ...params, upload: begun.answer.body.upload }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const from = agent.frames.length
    const asked = ada.call(finishUpload, { params: at, body: { path: PATH, size: 2048, hash: null } })
    const channel = await nextChannel(agent, from)
    channel.text({ type: 'finishing', size: 2048 })
    // The link answers only after it has read what came before.
    await vi.waitFor(() => expect(channel.credit()).toBeGreaterThan(0))
    vi.advanceTimersByTime(60_000)
    channel.end()
    expect((await asked).status).toBe(200)
  } finally {
    vi.useRealTimers()
  }
})
