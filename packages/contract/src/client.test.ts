import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getVersion } from './api/system.ts'
import { callEndpoint } from './client.ts'

/** Answers the first part of a body; what comes then is for each test to say. */
let server: Server
let afterFirstPart: 'breaks off' | 'stops coming'
beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
    response.write('"0.1')
    if (afterFirstPart === 'breaks off') setImmediate(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

function call(more: { timeoutMs?: number; signal?: AbortSignal }) {
  // The address of a server that listens on a port.
  const { port } = server.address() as AddressInfo
  return callEndpoint(getVersion, {}, { baseUrl: `http://127.0.0.1:${port}`, headers: () => ({}), ...more })
}

test('HTTP-05, an answer that breaks off is a server that cannot be reached', async () => {
  afterFirstPart = 'breaks off'
  await expect(call({})).rejects.toMatchObject({ name: 'ApiError', code: 'network', status: 0 })
})

test('HTTP-06, an answer that stops coming runs into the time limit', async () => {
  afterFirstPart = 'stops coming'
  await expect(call({ timeoutMs: 30 })).rejects.toMatchObject({ name: 'ApiError', code: 'timeout' })
})

test('HTTP-06, an answer that nobody waits for any more is cancelled', async () => {
  afterFirstPart = 'stops coming'
  await expect(call({ signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ code: 'aborted' })
})
