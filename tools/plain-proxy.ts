import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, type Socket } from 'node:net'

/**
 * A reverse proxy that passes no WebSockets at first, like nginx with its defaults: requests lose their upgrade. With a
 * certificate it ends TLS.
 */
export async function openPlainProxy(to: string, tls?: { key: string; cert: string }) {
  const { hostname: host, port } = new URL(to)
  const tunnels = new Set<Socket>()
  const requests: { path: string; range: string | undefined }[] = []
  const cuts: { path: RegExp; afterBytes: number }[] = []
  const pass: RequestListener = (incoming, outgoing) => {
    const { upgrade: _upgrade, ...sent } = incoming.headers
    const { method, url: path = '/' } = incoming
    requests.push({ path, range: sent.range })
    const options = { host, port, method, path, headers: { ...sent, connection: 'close' } }
    const forwarded = request(options, (response) => {
      // It counts for one hop only. A browser gives up after several new TLS connections that close at once.
      const { connection: _hop, ...headers } = response.headers
      outgoing.writeHead(response.statusCode ?? 502, headers)
      const at = cuts.findIndex((cut) => cut.path.test(path))
      if (at < 0) return void response.pipe(outgoing)
      let left = cuts.splice(at, 1)[0]?.afterBytes ?? 0
      response.on('data', (bytes: Buffer) => {
        if (left <= 0) return
        outgoing.write(bytes.subarray(0, left))
        left -= bytes.length
        // Written bytes arrive first.
        if (left <= 0) outgoing.socket?.destroySoon()
      })
    })
    forwarded.on('error', () => outgoing.writeHead(502).end())
    outgoing.on('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  }
  const server = tls === undefined ? createServer(pass) : createSecureServer(tls, pass)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const tunnel = ({ method, url: path, rawHeaders }: IncomingMessage, near: Socket) => {
    const far = connect(Number(port), host)
    const lines = rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('')
    far.write(`${method} ${path} HTTP/1.1\r\n${lines}\r\n`)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      tunnels.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
    }
  }
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${address.port}`,
    /** Breaks the next response of such a path off, once for each call. */
    cut: (path: RegExp, afterBytes: number) => void cuts.push({ path, afterBytes }),
    /** First bytes that were requested of such a path, in order; undefined without a range. */
    offsets: (path: RegExp) =>
      requests.filter((one) => path.test(one.path)).map(({ range }) => offsetOf(range)),
    /** As after the proxy was set up. Without a listener Node treats an upgrade as a plain request. */
    passWebSockets: () => void server.on('upgrade', tunnel),
    [Symbol.dispose]() {
      for (const end of tunnels) end.destroy()
      server.close().closeAllConnections()
    },
  }
}

function offsetOf(range: string | undefined): number | undefined {
  const first = /^bytes=(\d+)-$/.exec(range ?? '')?.[1]
  return first === undefined ? undefined : Number(first)
}

/**
 * Whether a file that was cut off after these numbers of bytes was continued each time. Bytes that had arrived, but were
 * not read when the connection ended, are requested again.
 */
export function isContinued(offsets: readonly (number | undefined)[], cuts: readonly number[]): boolean {
  if (offsets.length !== cuts.length + 1) return false
  return offsets.every((offset, at) => {
    const before = offsets[at - 1] ?? 0
    return at === 0 ? offset === undefined : isBetween(offset, before, before + (cuts[at - 1] ?? 0))
  })
}

const isBetween = (offset: number | undefined, least: number, most: number) =>
  offset !== undefined && offset >= least && offset <= most
