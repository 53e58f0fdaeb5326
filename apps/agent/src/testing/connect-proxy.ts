import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

/** An HTTP proxy as offices have them: only CONNECT, and the only one that knows the names of the outside. */
export class ConnectProxy implements AsyncDisposable {
  /** The targets of tunnels, such as `rmm.test:8443`. */
  readonly opened: string[] = []
  /** `user:password`, if it wants any. */
  credentials: string | undefined
  /** Refuses every tunnel with it. */
  refusal: string | undefined
  #server: Server
  #sockets = new Set<Socket>()

  constructor() {
    this.#server = createServer((_request, response) => response.writeHead(501).end())
    this.#server.on('connection', (socket: Socket) => this.#watch(socket))
    this.#server.on('connect', ({ url = '', headers }, socket: Socket) => {
      const given = headers['proxy-authorization']
      const wanted = this.credentials && `Basic ${Buffer.from(this.credentials).toString('base64')}`
      if (this.refusal !== undefined) return socket.end(`HTTP/1.1 ${this.refusal}\r\n\r\n`)
      if (wanted !== undefined && given !== wanted)
        return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n')
      this.opened.push(url)
      const target = connect(Number(url.split(':').at(-1)), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        socket.pipe(target).pipe(socket)
      })
      this.#watch(target)
      target.on('close', () => socket.destroy())
      socket.on('close', () => target.destroy())
      return undefined
    })
  }

  /** Returns its address. */
  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    // A listening TCP server has an address of this kind.
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  #watch(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
