import { CHANNEL_WINDOW_BYTES } from '@muster/contract/agent/channel'
import { startDownload } from '@muster/contract/api/files'
import { expect, test, vi } from 'vitest'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'
import { fetchAs, fileAudit, givenMachine, nextChannel, raw } from './test-machine.ts'

async function prepare(server: TestServer) {
  const fixture = await givenMachine(server)
  const { ada, user, params, url, agent } = fixture
  const address = async (path = '/var/report.txt', archive = false) =>
    url + (await ada.call(startDownload, { params, body: { path: raw(path), archive } })).body.url
  const get = async (from: string, headers: Record<string, string> = {}) => {
    const after = agent.frames.length
    const response = fetchAs(server, user, { url: from, headers })
    return { channel: await nextChannel(agent, after), response }
  }
  return { ...fixture, address, get, [Symbol.dispose]: () => agent.cut() }
}

/** Refused before any data was sent, else cut off. */
async function brokeOff(response: Promise<Response>): Promise<boolean> {
  const answer = await response
  if (answer.status === 503) return true
  return answer.text().then(
    () => false,
    () => true,
  )
}

test('a file is passed to the browser to be saved, with an audit row', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { channel, response } = await fixture.get(await fixture.address())
  expect(channel.author).toBe('ada')
  expect(channel.order).toEqual({ task: 'read', path: raw('/var/report.txt'), offset: 0, version: null })
  channel.news({ name: 'Größe "1".txt', size: 10 })
  channel.data(Buffer.from('01234'))
  const { status, headers, body } = await response
  expect([status, headers.get('content-length'), headers.get('etag')]).toEqual([200, '10', '"v1"'])
  expect(headers.get('content-type')).toBe('application/octet-stream')
  expect(headers.get('content-disposition')).toBe(
    `attachment; filename="Gr__e _1_.txt"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20_1_.txt`,
  )
  channel.data(Buffer.from('56789'))
  channel.end()
  expect(await new Response(body).text()).toBe('0123456789')
  expect(await fileAudit(server, fixture.user)).toEqual(['ada: Downloaded "/var/report.txt" (10 B)'])
})

test('an interrupted download resumes if the file is unchanged', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const address = await fixture.address()
  const first = await fixture.get(address)
  first.channel.news({ size: 10 })
  first.channel.data(Buffer.from('01234'))
  const begun = await first.response
  await fixture.agent.goOffline()
  await expect(begun.text()).rejects.toThrow()
  await fixture.agent.comeOnline()
  const range = { range: 'bytes=5-', 'if-range': '"v1"' }
  const second = await fixture.get(address, range)
  expect(second.channel.order).toMatchObject({ offset: 5, version: 'v1' })
  second.channel.news({ size: 10, offset: 5 })
  second.channel.data(Buffer.from('56789'))
  second.channel.end()
  const rest = await second.response
  expect([rest.status, rest.headers.get('content-range'), await rest.text()]).toEqual([
    206,
    'bytes 5-9/10',
    '56789',
  ])
  const third = await fixture.get(address, range)
  third.channel.news({ size: 3, version: 'v2' })
  third.channel.data(Buffer.from('new'))
  third.channel.end()
  expect([(await third.response).status, await (await third.response).text()]).toEqual([200, 'new'])
  await vi.waitFor(async () =>
    expect((await fileAudit(server, fixture.user)).slice(0, 3)).toEqual([
      'ada: Downloaded "/var/report.txt" (10 B)',
      'ada: Failed to download "/var/report.txt" after 5 B: The link to the machine was lost.',
      'ada: Resumed downloading "/var/report.txt" after 5 B of 10 B',
    ]),
  )
})

test('a range with an end is sent and nothing more, and the machine stops there', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const address = await fixture.address()
  const first = await fixture.get(address, { range: 'bytes=2-4' })
  expect(first.channel.order).toMatchObject({ offset: 2 })
  first.channel.news({ size: 10, offset: 2 })
  first.channel.data(Buffer.from('23456789'))
  const part = await first.response
  expect([part.status, part.headers.get('content-range'), part.headers.get('content-length')]).toEqual([
    206,
    'bytes 2-4/10',
    '3',
  ])
  expect(await part.text()).toBe('234')
  expect(await first.channel.ended()).toMatchObject({ code: 'closed' })
  const second = await fixture.get(address, { range: 'bytes=0-2' })
  expect(second.channel.order).toMatchObject({ offset: 0 })
  second.channel.news({ size: 10 })
  second.channel.data(Buffer.from('01234'))
  const beginning = await second.response
  expect([beginning.status, await beginning.text()]).toEqual([206, '012'])
  // The range reaches beyond the end.
  const third = await fixture.get(address, { range: 'bytes=8-99' })
  third.channel.news({ size: 10, offset: 8 })
  third.channel.data(Buffer.from('89'))
  third.channel.end()
  const end = await third.response
  expect([end.status, end.headers.get('content-range'), await end.text()]).toEqual([
    206,
    'bytes 8-9/10',
    '89',
  ])
  await vi.waitFor(async () =>
    expect((await fileAudit(server, fixture.user)).slice(0, 3)).toEqual([
      'ada: Downloaded 3 B of "/var/report.txt" (10 B)',
      'ada: Downloaded 3 B of "/var/report.txt" (10 B)',
      'ada: Resumed downloading "/var/report.txt" after 8 B of 10 B',
    ]),
  )
})

test('a slow browser slows the machine down, and a closed one ends its channel', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { channel, response } = await fixture.get(await fixture.address())
  const piece = Buffer.alloc(16 * 1024)
  const size = 2000 * piece.length
  channel.news({ size })
  let sent = 0
  // As a correct agent counts: one window, and then as much as credit was granted.
  const send = () => {
    const most = CHANNEL_WINDOW_BYTES * 0.9 + channel.credit() * (CHANNEL_WINDOW_BYTES / 4)
    for (; sent + piece.length < most && sent < size; sent += piece.length) channel.data(piece)
  }
  const timer = setInterval(send, 1)
  const { body } = await response
  let before = -1
  await vi.waitFor(
    () => {
      const stands = sent === before
      before = sent
      expect(stands).toBe(true)
    },
    { interval: 300 },
  )
  clearInterval(timer)
  // Buffers and sockets hold a part, but far from all of it.
  expect(sent).toBeLessThan(size / 2)
  await body?.cancel()
  expect(await channel.ended()).toMatchObject({ code: 'closed' })
})

test('refusals of the machine are shown, and a wrong length is cut off', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const address = await fixture.address('/gone')
  const refused = await fixture.get(address)
  refused.channel.end('refused', 'There is nothing of that name any more.')
  const answer = await refused.response
  expect([answer.status, await answer.json()]).toEqual([
    409,
    expect.objectContaining({ detail: 'PC-12: There is nothing of that name any more.' }),
  ])
  const less = await fixture.get(address)
  less.channel.news({ size: 10 })
  less.channel.data(Buffer.from('012'))
  less.channel.end()
  expect(await brokeOff(less.response)).toBe(true)
  const more = await fixture.get(address)
  more.channel.news({ size: 2 })
  more.channel.data(Buffer.from('0123456789'))
  expect(await more.channel.ended()).toMatchObject({ code: 'bad_frame' })
  expect(await brokeOff(more.response)).toBe(true)
  const odd = await fixture.get(address)
  odd.channel.news({ size: -1 })
  expect((await odd.response).status).toBe(503)
  fixture.agent.cut()
  await vi.waitFor(async () =>
    expect((await fetchAs(server, fixture.user, { url: address })).status).toBe(409),
  )
  const body = { path: raw('/gone'), archive: false }
  await vi.waitFor(async () =>
    expect((await fixture.ada.call(startDownload, { params: fixture.params, body })).error?.detail).toBe(
      'PC-12 is offline. Try again when it is connected.',
    ),
  )
})

test('the URL of a download is invalid for other users and machines, and after its time', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const address = await fixture.address()
  const ben = await server.given.user({ permissions: ['can_manage_files'] })
  expect((await fetchAs(server, ben, { url: address })).status).toBe(401)
  expect((await fetch(address)).status).toBe(401)
  const forged = address.replace(/ticket=.*/, 'ticket=v1.AAAA')
  expect((await fetchAs(server, fixture.user, { url: forged })).status).toBe(401)
  const elsewhere = address.replace(fixture.agent.agentId, 'another0machine')
  expect((await fetchAs(server, fixture.user, { url: elsewhere })).status).toBe(401)
  server.clock.advance(3601)
  expect((await fetchAs(server, fixture.user, { url: address })).status).toBe(401)
  expect(fixture.agent.frames.filter(({ type }) => type === 'command')).toEqual([])
})

test('a withdrawn right ends a download within a second', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { channel, response } = await fixture.get(await fixture.address('/var', true))
  channel.news({ name: 'var.tar.gz' })
  channel.data(Buffer.from('part'))
  const begun = await response
  await server.ctx.transaction(async (tx, emit) => {
    await tx.updateTable('roles').set({ permissions: '[]' }).execute()
    emit({ type: 'user.changed', ids: [] })
  })
  expect(await channel.ended()).toEqual({
    code: 'not_allowed',
    message: 'Your role does not allow the files.',
  })
  await expect(begun.text()).rejects.toThrow()
})

test('an archive records its size at its end', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { channel, response } = await fixture.get(await fixture.address('/var/log', true))
  expect(channel.order).toEqual({ task: 'archive', path: raw('/var/log') })
  channel.news({ name: 'log.tar.gz' })
  channel.data(Buffer.from('archive'))
  channel.end()
  expect(await (await response).text()).toBe('archive')
  await vi.waitFor(async () =>
    expect(await fileAudit(server, fixture.user)).toEqual([
      'ada: Started downloading "/var/log" as an archive',
      'ada: Downloaded the archive of "/var/log" (7 B)',
    ]),
  )
})
