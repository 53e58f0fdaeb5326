import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { InjectOptions } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { terminalModule } from '../../features/installers/install-files.ts'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz'
const PROGRAM = '/agent/program.mjs'

/** A server that offers an agent of these 26 bytes. */
async function givenProgram(text = ALPHABET) {
  const folder = await mkdtemp(join(tmpdir(), 'muster-agent-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'agent.mjs')
  await writeFile(file, text)
  await writeFile(join(folder, 'muster-agent.mjs'), text)
  const server = await createTestServer({ env: { MUSTER_AGENT_FOLDER: folder } })
  return { server, file, ask: (headers: Record<string, string>) => askFor(server, PROGRAM, headers) }
}

const askFor = (
  server: TestServer,
  url: string,
  headers: Record<string, string>,
  method: InjectOptions['method'] = 'GET',
) => server.app.fastify.inject({ method: method ?? 'GET', url, headers })

test.each([
  ['bytes=0-4', 'bytes 0-4/26', 'abcde'],
  ['bytes=20-', 'bytes 20-25/26', 'uvwxyz'],
  ['bytes=20-99', 'bytes 20-25/26', 'uvwxyz'],
  ['bytes=25-25', 'bytes 25-25/26', 'z'],
  ['bytes=-3', 'bytes 23-25/26', 'xyz'],
  ['bytes=-99', 'bytes 0-25/26', ALPHABET],
  ['bytes=0-', 'bytes 0-25/26', ALPHABET],
  ['BYTES=0-1', 'bytes 0-1/26', 'ab'],
  ['bytes= 3-4 ', 'bytes 3-4/26', 'de'],
])('Range: %s returns 206 with %s', async (range, contentRange, expected) => {
  const { server, ask } = await givenProgram()
  await using _server = server
  const { statusCode, headers, body } = await ask({ range })
  expect([statusCode, body]).toEqual([206, expected])
  expect(headers).toMatchObject({
    'accept-ranges': 'bytes',
    'content-range': contentRange,
    'content-length': String(expected.length),
    etag: expect.stringMatching(/^"[^"]+"$/),
  })
})

test.each(['bytes=26-', 'bytes=26-30', 'bytes=99-', 'bytes=-0', 'bytes=999999999999999999999-'])(
  'Range: %s is beyond the end: 416 with the length',
  async (range) => {
    const { server, ask } = await givenProgram()
    await using _server = server
    const { statusCode, headers, body } = await ask({ range })
    expect([statusCode, headers['content-range'], body]).toEqual([416, 'bytes */26', ''])
  },
)

test.each(['bytes=5-2', 'bytes=', 'bytes=a-b', 'bytes', 'lines=0-4', 'bytes=0-1,4-5', 'bytes=--1', '0-4'])(
  'Range: %s is ignored, so the whole file is sent',
  async (range) => {
    const { server, ask } = await givenProgram()
    await using _server = server
    const { statusCode, headers, body } = await ask({ range })
    expect([statusCode, headers['content-range'], body]).toEqual([200, undefined, ALPHABET])
    expect(headers).toMatchObject({ 'accept-ranges': 'bytes', 'content-length': '26' })
  },
)

test('a range goes on only with the same file', async () => {
  const { server, file, ask } = await givenProgram()
  await using _server = server
  const etag = String((await ask({})).headers['etag'])
  const rest = { range: 'bytes=20-' }
  expect((await ask({ ...rest, 'if-range': etag })).statusCode).toBe(206)
  for (const other of ['"another"', `W/${etag}`, 'Sun, 29 Nov 2026 12:00:00 GMT'])
    expect((await ask({ ...rest, 'if-range': other })).statusCode).toBe(200)
  expect((await ask({ range: 'bytes=99-', 'if-range': '"another"' })).statusCode).toBe(200)
  await writeFile(file, ALPHABET.toUpperCase())
  const changed = await ask({ ...rest, 'if-range': etag })
  expect([changed.statusCode, changed.body]).toEqual([200, ALPHABET.toUpperCase()])
  expect(changed.headers['etag']).not.toBe(etag)
})

test('a file that the client has is not sent, whatever range it requests', async () => {
  const { server, ask } = await givenProgram()
  await using _server = server
  const etag = String((await ask({})).headers['etag'])
  const { statusCode, body } = await ask({ 'if-none-match': `"a", W/${etag}`, range: 'bytes=0-4' })
  expect([statusCode, body]).toEqual([304, ''])
})

test('HEAD returns the length without reading the file, and no range', async () => {
  const { server } = await givenProgram()
  await using _server = server
  const { statusCode, headers, body } = await askFor(server, PROGRAM, { range: 'bytes=0-4' }, 'HEAD')
  expect([statusCode, headers['content-length'], headers['accept-ranges'], body]).toEqual([
    200,
    '26',
    'bytes',
    '',
  ])
})

test('an empty file has no ranges', async () => {
  const { server, ask } = await givenProgram('')
  await using _server = server
  const whole = await ask({})
  expect([whole.statusCode, whole.headers['content-length'], whole.body]).toEqual([200, '0', ''])
  expect((await ask({ range: 'bytes=0-' })).statusCode).toBe(416)
})

test('programs of the agent are sent in ranges and never compressed', async () => {
  const { server } = await givenProgram(ALPHABET.repeat(1000))
  await using _server = server
  const { url } = await server.listen()
  const paths = [PROGRAM, '/agent/launcher.mjs', '/agent/node/linux/x86_64']
  if (terminalModule('x86_64') !== undefined) paths.push('/agent/pty/linux/x86_64')
  for (const path of paths) {
    const headers = { range: 'bytes=100-199', 'accept-encoding': 'gzip, br, zstd' }
    const part = await fetch(url + path, { headers })
    expect([path, part.status, (await part.bytes()).length]).toEqual([path, 206, 100])
    const whole = await fetch(url + path, { headers: { 'accept-encoding': 'gzip, br, zstd' } })
    const size = Number(whole.headers.get('content-length'))
    expect([path, whole.headers.get('content-encoding'), whole.headers.get('vary')]).toEqual([
      path,
      null,
      null,
    ])
    expect(size).toBeGreaterThan(200)
    const [start, end] = [await whole.bytes(), part.headers.get('content-range')]
    expect([start.length, end]).toEqual([size, `bytes 100-199/${size}`])
  }
})

test('an update of the agent is sent in ranges of its packed form', async () => {
  const { server, file } = await givenProgram()
  await using _server = server
  await writeFile(join(dirname(file), 'version.json'), JSON.stringify({ version: '1.2.3', node: 24 }))
  const url = '/agent/versions/1.2.3/agent.mjs'
  const whole = await askFor(server, url, {})
  expect(gunzipSync(whole.rawPayload).toString()).toBe(ALPHABET)
  const range = `bytes=5-${whole.rawPayload.length - 1}`
  const part = await askFor(server, url, { range, 'if-range': String(whole.headers['etag']) })
  expect([part.statusCode, part.headers['content-encoding']]).toEqual([206, 'gzip'])
  expect(part.rawPayload.equals(whole.rawPayload.subarray(5))).toBe(true)
})

test('parts make the whole', async () => {
  const text = createHash('sha512').update('any').digest('hex').repeat(10_000)
  const { server, ask } = await givenProgram(text)
  await using _server = server
  let got = ''
  while (got.length < text.length) {
    const { body, headers } = await ask({ range: `bytes=${got.length}-${got.length + 333_332}` })
    expect(headers['content-range']).toContain(`/${text.length}`)
    got += body
  }
  expect(got).toBe(text)
})
