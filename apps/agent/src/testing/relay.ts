import { connect as connectTcp, type AddressInfo, type Socket } from 'node:net'
import { connect as connectTls, createServer, type Server } from 'node:tls'

interface Upstream {
  port: number
  /** Connects by TLS and trusts any certificate. Otherwise it is a proxy in front of a server without TLS. */
  tls: boolean
}

/** Ends TLS with a certificate of its own and passes everything on: a proxy, or a man in the middle. */
export class Relay implements AsyncDisposable {
  /** Everything that agents have sent, decrypted. */
  received = ''
  /** Changes what the server returns. */
  change: (text: string) => string = (text) => text
  #server: Server
  #sockets = new Set<Socket>()

  constructor(tls: { key: string; cert: string }, { port, tls: isTls }: Upstream) {
    this.#server = createServer(tls, (agent) => {
      const server = isTls
        ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
        : connectTcp(port, '127.0.0.1')
      for (const [from, to] of [
        [agent, server],
        [server, agent],
      ] as const) {
        this.#sockets.add(from)
        from.on('error', () => {})
        from.on('close', () => {
          this.#sockets.delete(from)
          to.destroy()
        })
      }
      agent.on('data', (bytes: Buffer) => {
        this.received += bytes.toString('latin1')
        server.write(bytes)
      })
      server.on('data', (bytes: Buffer) =>
        agent.write(Buffer.from(this.change(bytes.toString('latin1')), 'latin1')),
      )
    })
    this.#server.on('tlsClientError', () => {})
  }

  async listen(port = 0): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve))
    // A listening TCP server has an address of this kind.
    return (this.#server.address() as AddressInfo).port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
