import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'

const NODE = '/agent/node/linux/x86_64'

/** A machine that downloads Node and reads nothing of it for now. */
async function startDownload(url: string, path = NODE) {
  const sent = request(url + path)
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  onTestFinished(() => void sent.destroy())
  return { status: response.statusCode, response, leave: () => sent.destroy() }
}

async function refusal({ response }: { response: IncomingMessage }) {
  let text = ''
  for await (const chunk of response) text += String(chunk)
  const { code, detail } = JSON.parse(text) as { code: string; detail: string }
  return { code, detail, retryAfter: response.headers['retry-after'] }
}

test('one address downloads a few programs at once, and the next one waits', async () => {
  await using server = await createTestServer({ downloads: { perSource: 2 } })
  const { url } = await server.listen()
  const first = await startDownload(url)
  const second = await startDownload(url)
  expect([first.status, second.status]).toEqual([200, 200])
  const third = await startDownload(url)
  expect([third.status, await refusal(third)]).toEqual([
    429,
    {
      code: 'too_many_requests',
      detail: 'Too many downloads run at this address. Try again in a moment.',
      retryAfter: '10',
    },
  ])
  first.leave()
  await vi.waitFor(async () => expect((await startDownload(url)).status).toBe(200))
})

test('the server sends a bounded number of programs to all', async () => {
  await using server = await createTestServer({ downloads: { total: 1 } })
  const { url } = await server.listen()
  const first = await startDownload(url)
  expect(first.status).toBe(200)
  for (const path of [NODE, '/agent/program.mjs', '/agent/launcher.mjs']) {
    const next = await startDownload(url, path)
    if (path !== NODE && next.status === 503 && (await refusal(next)).detail.includes('built')) continue
    expect([path, next.status, next.response.headers['retry-after']]).toEqual([path, 503, '10'])
  }
  // A HEAD and a file that the machine has cost nothing.
  const { headers } = first.response
  expect((await fetch(url + NODE, { method: 'HEAD' })).status).toBe(200)
  expect((await fetch(url + NODE, { headers: { 'if-none-match': String(headers.etag) } })).status).toBe(304)
})

test('a machine that reads nothing loses its download', async () => {
  await using server = await createTestServer({ downloads: { total: 1, idleMs: 50 } })
  const { port, url } = await server.listen()
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(`GET ${NODE} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
  await once(socket, 'readable')
  socket.pause()
  await vi.waitFor(async () => expect((await startDownload(url)).status).toBe(200))
})

test('a machine that reads slowly keeps its download', async () => {
  await using server = await createTestServer({ downloads: { total: 1, idleMs: 60_000 } })
  const { url } = await server.listen()
  const { response } = await startDownload(url)
  let bytes = 0
  for await (const chunk of response) bytes += (chunk as Buffer).length
  expect(String(bytes)).toBe(response.headers['content-length'])
})
