import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy between a machine and a server. A dropped line passes nothing, and neither end gets an error. */
export async function openLine(to: string) {
  const { hostname, port } = new URL(to)
  const ends = new Set<Socket>()
  let isDown = false
  const server = createServer((near) => {
    const far = connect({ host: hostname, port: Number(port) })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy()).on('close', () => ends.delete(one))
      if (isDown) one.pause()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the line has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    drop() {
      isDown = true
      for (const end of ends) end.unpipe().pause()
    },
    /** Closes the old connections, with everything that waited in them. */
    mend() {
      isDown = false
      for (const end of ends) end.destroy()
    },
    [Symbol.dispose]() {
      for (const end of ends) end.destroy()
      server.close()
    },
  }
}
