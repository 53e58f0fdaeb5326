import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** A real mail server on a free loopback port, which keeps what it receives as it came over the wire. */
export async function startMailReceiver(): Promise<{ port: number; mails: string[] } & AsyncDisposable> {
  const mails: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    closeTimeout: 100,
    onData(stream, _session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.once('error', callback)
      stream.once('end', () => {
        mails.push(Buffer.concat(chunks).toString())
        callback()
      })
    },
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const port = portOf(listening.address())
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return { port, mails, [Symbol.asyncDispose]: stop }
}

export interface Post {
  headers: IncomingHttpHeaders
  body: string
}

/** A real receiver of webhooks on a free loopback port. */
export async function startHookReceiver(): Promise<
  {
    url: string
    posts: Post[]
    /** When the next post arrived, by performance.now(). */
    nextPost(): Promise<number>
  } & AsyncDisposable
> {
  const posts: Post[] = []
  const waiting: ((atMs: number) => void)[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      posts.push({ headers: request.headers, body })
      for (const resolve of waiting.splice(0)) resolve(performance.now())
      response.end('thank you')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    server.closeAllConnections()
    server.close()
  }
  const nextPost = () => new Promise<number>((resolve) => waiting.push(resolve))
  return {
    url: `http://127.0.0.1:${portOf(server.address())}/hook`,
    posts,
    nextPost,
    [Symbol.asyncDispose]: stop,
  }
}

function portOf(address: ReturnType<SMTPServer['server']['address']>): number {
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return address.port
}
