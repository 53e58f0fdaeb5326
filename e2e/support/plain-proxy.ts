import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'

/** A reverse proxy that passes no WebSockets at first, like nginx with its defaults: requests lose their upgrade. */
export async function openPlainProxy(to: string) {
  const { hostname: host, port } = new URL(to)
  const tunnels = new Set<Socket>()
  const server = createServer((incoming, outgoing) => {
    const { upgrade: _upgrade, ...headers } = incoming.headers
    const { method, url: path } = incoming
    const options = { host, port, method, path, headers: { ...headers, connection: 'close' } }
    const forwarded = request(options, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.writeHead(502).end())
    outgoing.on('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  })
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
    url: `http://127.0.0.1:${address.port}`,
    /** As after the proxy was set up. Without a listener Node treats an upgrade as a plain request. */
    passWebSockets: () => void server.on('upgrade', tunnel),
    [Symbol.dispose]() {
      for (const end of tunnels) end.destroy()
      server.close().closeAllConnections()
    },
  }
}
