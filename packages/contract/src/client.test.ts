import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getVersion } from './api/system.ts'
import { callEndpoint } from './client.ts'

/** Sends the first part of a body; each test decides the rest. */
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

test('a response that breaks off counts as an unreachable server', async () => {
  afterFirstPart = 'breaks off'
  await expect(call({})).rejects.toMatchObject({ name: 'ApiError', code: 'network', status: 0 })
})

test('a response that stalls times out', async () => {
  afterFirstPart = 'stops coming'
  await expect(call({ timeoutMs: 30 })).rejects.toMatchObject({ name: 'ApiError', code: 'timeout' })
})

test('a response that is no longer needed is cancelled', async () => {
  afterFirstPart = 'stops coming'
  await expect(call({ signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ code: 'aborted' })
})
