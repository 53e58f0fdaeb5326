import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { TEST_CERT, TEST_KEY } from './test-certificate.ts'

/** For test servers whose channels send to receivers on this machine. */
export const LOOPBACK_CHANNELS = { MUSTER_CHANNEL_TARGETS: 'any' }

export interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
  bytes: Buffer
}

export interface TestReceiver extends AsyncDisposable {
  url: string
  requests: ReceivedRequest[]
  /** The next response. `hang` never responds, `hold` not before its promise settles. */
  answer: {
    status?: number
    body?: string
    headers?: Record<string, string>
    hang?: boolean
    hold?: Promise<void>
  }
}

/** A real HTTP server on a free loopback port that records its requests. */
export async function openTestReceiver({ tls = false } = {}): Promise<TestReceiver> {
  const requests: ReceivedRequest[] = []
  const receiver: Pick<TestReceiver, 'answer'> = { answer: {} }
  const listen: RequestListener = (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.once('end', async () => {
      const { method = '', url: path = '', headers } = request
      const bytes = Buffer.concat(parts)
      requests.push({ method, path, headers, body: bytes.toString('utf8'), bytes })
      const { status = 200, body = 'ok', headers: more = {}, hang = false, hold } = receiver.answer
      await hold
      if (hang) return
      response.writeHead(status, more).end(body)
    })
  }
  const server = tls ? createTlsServer({ cert: TEST_CERT, key: TEST_KEY }, listen) : createServer(listen)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return Object.assign(receiver, {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${address.port}/hook`,
    requests,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  })
}
