import { once } from 'node:events'
import { connect } from 'node:net'
import { brotliDecompressSync, gunzipSync, gzipSync, zstdDecompressSync } from 'node:zlib'
import { getHealth, getVersion } from '@muster/contract/api/system'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'

test('every answer carries the security headers and a request id', async () => {
  await using server = await createTestServer()
  for (const url of ['/health/', '/nothing/', '/core/version/', '/docs/']) {
    const { headers } = await server.anonymous.send({ method: 'GET', url })
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    })
    expect(headers['content-security-policy']).not.toMatch(/script-src[^;]*unsafe/)
  }
})

test('API responses are not cached', async () => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user())
  expect((await ada.call(getVersion, {})).headers['cache-control']).toBe('no-store')
  expect((await server.anonymous.call(getVersion, {})).headers['cache-control']).toBe('no-store')
})

test('an unknown address is a 404, and a wrong method a 405 that lists the valid ones', async () => {
  await using server = await createTestServer()
  const missing = await server.anonymous.send({ method: 'GET', url: '/nothing/here/' })
  expect([missing.status, missing.error.code]).toEqual([404, 'not_found'])
  const wrong = await server.anonymous.send({ method: 'DELETE', url: '/v2/login/' })
  expect([wrong.status, wrong.error.code, wrong.headers['allow']]).toEqual([
    405,
    'method_not_allowed',
    'POST',
  ])
})

test('a plain request to a WebSocket address is refused with a sentence that names the proxy', async () => {
  await using server = await createTestServer()
  const root = server.as(await server.given.user({ superuser: true }))
  for (const url of ['/agent/ws', '/ws/live/', '/ws/webterm/', '/ws/agent/alpha0000000/channel/']) {
    const { status, error } = await root.send({ method: 'GET', url })
    expect([url, status, error.code]).toEqual([url, 426, 'upgrade_required'])
    expect(error.detail).toMatch(/proxy .* pass WebSockets: \/docs\/reverse-proxy\//)
  }
})

test('a server that was closed logs no more of what it refused', async () => {
  await using server = await createTestServer()
  server.expectLog(/does not pass WebSockets/)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const headers = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' }
  for (let sent = 0; sent < 2; sent += 1)
    await server.anonymous.send({ method: 'GET', url: '/ws/live/', headers })
  await server.app.fastify.close()
  const logged = server.logLines.length
  vi.advanceTimersByTime(120_000)
  expect(server.logLines.slice(logged)).toEqual([])
})

test('an address with a part that is too long is refused without repeating it', async () => {
  await using server = await createTestServer()
  const { status, error } = await server.anonymous.send({ method: 'GET', url: `/agents/${'x'.repeat(500)}/` })
  expect([status, error.detail]).toEqual([400, 'The address is too long in one of its parts.'])
})

test('malformed bodies, other media types and huge bodies are refused with a sentence', async () => {
  await using server = await createTestServer()
  const send = (payload: string, type = 'application/json') =>
    server.anonymous.send({
      method: 'POST',
      url: '/v2/checkcreds/',
      payload,
      headers: { 'content-type': type },
    })
  expect((await send('{"username":')).error).toMatchObject({ code: 'invalid' })
  expect((await send('{"__proto__":{"a":1},"username":"a","password":"b"}')).status).toBe(400)
  expect((await send('username=ada', 'application/x-www-form-urlencoded')).error.detail).toContain('JSON')
  expect((await send('{}', 'text/plain')).status).toBe(400)
  expect((await send('')).error.fields).toHaveProperty('username')
  const huge = await send(`{"username":"${'x'.repeat(1024 * 1024)}"}`)
  expect([huge.status, huge.error.code]).toEqual([413, 'too_large'])
})

test('a compressed body is refused with a sentence', async () => {
  await using server = await createTestServer()
  const send = (encoding: string, payload: string | Buffer) =>
    server.anonymous.send({
      method: 'POST',
      url: '/v2/checkcreds/',
      payload,
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
    })
  const body = JSON.stringify({ username: 'ada', password: 'wrong' })
  expect((await send('gzip', gzipSync(body))).error).toMatchObject({
    code: 'invalid',
    detail: 'A compressed body (Content-Encoding: gzip) is not supported. Send it uncompressed.',
  })
  expect((await send('x'.repeat(500), body)).error.detail.length).toBeLessThan(150)
  expect((await send('Identity', body)).error.code).not.toBe('invalid')
})

test('a number of an address or a body is written in decimal digits, or is one', async () => {
  await using server = await createTestServer()
  const root = server.as(await server.given.user({ superuser: true }))
  const { client_id: client } = await server.given.site()
  const read = async (id: string) => (await root.send({ method: 'GET', url: `/clients/${id}/` })).status
  expect(await read(`${client}`)).toBe(200)
  for (const id of [`0x${client}`, `+${client}`, `%20${client}`, `${client}e0`])
    expect([id, await read(id)]).toEqual([id, 400])
  const create = async (id: unknown, name: string) => {
    const payload = { site: { client: id, name } }
    const answer = await root.send({ method: 'POST', url: '/clients/sites/', payload })
    return answer.status === 200 ? 200 : answer.error.fields
  }
  expect(await create(client, 'by number')).toBe(200)
  expect(await create(`${client}`, 'by digits')).toBe(200)
  for (const id of [true, [client], `0x${client}`, ` ${client}`, '', null])
    expect([id, await create(id, 'by nothing')]).toEqual([id, { 'site.client': ['Enter a number.'] }])
})

test('input that is not HTTP gets a readable response', async () => {
  await using server = await createTestServer()
  const { port } = await server.listen()
  const answer = await sendRaw(port, 'GARBAGE\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer).toContain('"code":"invalid"')
  expect(await sendRaw(port, `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 431 /,
  )
  expect(
    await sendRaw(port, 'GET /%E0%A4%A HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n'),
  ).toContain('"code":"invalid"')
})

test('an internal error is answered without details, which go to the log', async () => {
  await using server = await createTestServer()
  server.expectLog(/request failed.*the secret reason|the secret reason.*request failed/)
  const user = await server.given.user()
  await server.ctx.db.schema.alterTable('users').renameColumn('preferences', 'the secret reason').execute()
  const { status, error, headers } = await server.as(user).send({ method: 'GET', url: '/core/dashinfo/' })
  expect(status).toBe(500)
  expect(error).toMatchObject({ code: 'internal', request_id: headers['x-request-id'] })
  expect(JSON.stringify(error)).not.toContain('secret reason')
  server.expectLog(/request failed/)
})

test('responses are compressed for clients that accept it, except small ones', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const unpack = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync }
  for (const [encoding, decompress] of Object.entries(unpack)) {
    const response = await rawFetch(`${url}/openapi.json`, encoding)
    expect(response.encoding).toBe(encoding)
    expect(JSON.parse(decompress(response.bytes).toString())).toHaveProperty('openapi')
  }
  expect((await rawFetch(`${url}/health/`, 'br')).encoding).toBeUndefined()
})

test('while stopping, running requests finish and new ones get 503', async () => {
  await using server = await createTestServer()
  const { fastify } = server.app
  const { promise: started, resolve: hasStarted } = Promise.withResolvers<void>()
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  fastify.get('/slow', async () => {
    hasStarted()
    await gate
    return 'done'
  })
  const url = await fastify.listen({ host: '127.0.0.1', port: 0 })
  const running = fetch(`${url}/slow`)
  await started
  const stopped = server.app.stop()
  const refused = await server.anonymous.call(getHealth, {})
  expect([refused.status, refused.error.code]).toEqual([503, 'unavailable'])
  expect(refused.headers['retry-after']).toBe('5')
  open()
  expect(await (await running).text()).toBe('done')
  await stopped
})

test('a request of a disconnected client finishes before the stop continues', async () => {
  await using server = await createTestServer()
  const { promise: started, resolve: hasStarted } = Promise.withResolvers<void>()
  let isWorkedOff = false
  server.app.fastify.get('/left', async (request) => {
    hasStarted()
    await once(request.raw.socket, 'close')
    await new Promise((resolve) => setTimeout(resolve, 300))
    isWorkedOff = true
    return 'for nobody'
  })
  const { url } = await server.listen()
  const gone = new AbortController()
  const left = expect(fetch(`${url}/left`, { signal: gone.signal })).rejects.toThrow()
  await started
  gone.abort()
  await left
  await server.app.stop()
  expect(isWorkedOff).toBe(true)
})

test('a request that waits for hours is cut off while everything else still closes in order', async () => {
  await using server = await createTestServer()
  const { promise: started, resolve: hasStarted } = Promise.withResolvers<void>()
  server.app.fastify.get('/endless', async (request) => {
    hasStarted()
    await once(request.raw.socket, 'close')
    return 'never read'
  })
  const { url } = await server.listen()
  const endless = expect(fetch(`${url}/endless`)).rejects.toThrow()
  await started
  await server.app.stop()
  await endless
})

test('a socket whose peer does not respond delays the stop only briefly', async () => {
  await using server = await createTestServer()
  const { port } = await server.listen()
  const socket = connect(port, '127.0.0.1')
  socket.write(
    'GET /ws/live/ HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  )
  const [greeting] = await once(socket, 'data')
  expect(String(greeting)).toContain('101 Switching Protocols')
  socket.pause()
  await server.app.stop()
  socket.destroy()
})

test('metrics are readable by programs on this machine, and by others with the token', async () => {
  const token = 'a-token-of-the-metrics'
  await using server = await createTestServer({ env: { MUSTER_METRICS_TOKEN: token } })
  const local = server.anonymous
  await local.call(getHealth, {})
  const { text } = await local.send({ method: 'GET', url: '/metrics' })
  expect(text).toMatch(
    /muster_http_request_duration_seconds_count\{method="GET",route="\/health\/",status="200"\} 1/,
  )
  expect(text).toMatch(/^muster_connected_agents 0$/m)
  expect(text).toMatch(/^muster_live_consoles 0$/m)
  expect(text).toMatch(/^muster_jobs_waiting \d+$/m)
  expect(text).toContain('process_resident_memory_bytes')

  const remote = server.anonymous
  remote.source = '192.0.2.1'
  expect((await remote.send({ method: 'GET', url: '/metrics' })).status).toBe(401)
  for (const name of ['x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via']) {
    const proxied = server.anonymous
    proxied.headers = { [name]: '127.0.0.1' }
    expect((await proxied.send({ method: 'GET', url: '/metrics' })).status, name).toBe(401)
  }
  remote.headers = { authorization: 'Bearer another-token-of-others' }
  expect((await remote.send({ method: 'GET', url: '/metrics' })).status).toBe(401)
  remote.headers = { authorization: `Bearer ${token}` }
  expect((await remote.send({ method: 'GET', url: '/metrics' })).status).toBe(200)
})

test('without a token other hosts cannot read the metrics, not even behind a proxy', async () => {
  await using server = await createTestServer({ env: { MUSTER_PUBLIC_URL: 'https://rmm.example.com' } })
  const admin = server.as(await server.given.user({ superuser: true }))
  admin.source = '192.0.2.1'
  expect((await admin.send({ method: 'GET', url: '/metrics' })).status).toBe(401)
  const proxied = server.anonymous
  // Some proxies pass this client-provided header on.
  proxied.headers = { 'x-forwarded-for': '127.0.0.1', authorization: 'Bearer undefined' }
  expect((await proxied.send({ method: 'GET', url: '/metrics' })).status).toBe(401)
})

test('a request with two Host headers is refused', async () => {
  await using server = await createTestServer()
  const { port } = await server.listen()
  const ask = (hosts: string) => sendRaw(port, `GET /health/ HTTP/1.1\r\n${hosts}connection: close\r\n\r\n`)
  expect(await ask('host: localhost\r\n')).toMatch(/^HTTP\/1\.1 200 /)
  const twice = await ask('host: localhost\r\nHost: evil.example\r\n')
  expect(twice).toMatch(/^HTTP\/1\.1 400 /)
  expect(twice).toContain('"code":"invalid"')
})

test('browsers must stay on https if the console is reached by it', async () => {
  const hsts = async (env: Record<string, string>) => {
    await using server = await createTestServer({ env })
    return (await server.anonymous.call(getHealth, {})).headers['strict-transport-security']
  }
  expect(await hsts({ MUSTER_PUBLIC_URL: 'https://rmm.example.com' })).toBe('max-age=31536000')
  expect(await hsts({ MUSTER_PUBLIC_URL: 'http://rmm.example.com' })).toBeUndefined()
  expect(await hsts({})).toBeUndefined()
})

test('a repeated request with the same Idempotency-Key gets the stored response', async () => {
  await using server = await createTestServer()
  const user = await server.given.user()
  const ask = () =>
    server
      .as(user)
      .send({ method: 'POST', url: '/core/socket-ticket/', headers: { 'idempotency-key': 'once' } })
  const first = (await ask()).text
  expect((await ask()).text).toBe(first)
  const stored = await server.ctx.db.selectFrom('idempotency_keys').select('response').execute()
  const { ticket } = JSON.parse(first) as { ticket: string }
  expect(JSON.stringify(stored)).not.toContain(ticket)
  expect((await server.as(user).call(getVersion, {})).status).toBe(200)
})

async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(text)
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  return answer
}

async function rawFetch(url: string, encoding: string) {
  const { request } = await import('node:http')
  const { promise, resolve } = Promise.withResolvers<{ encoding: string | undefined; bytes: Buffer }>()
  request(url, { headers: { 'accept-encoding': encoding } }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('end', () =>
      resolve({ encoding: response.headers['content-encoding'], bytes: Buffer.concat(chunks) }),
    )
  }).end()
  return promise
}
