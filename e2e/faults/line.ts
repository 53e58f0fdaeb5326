import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A line between a machine and a server that a test can have drop: nothing passes then, and nobody is told. */
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
    /** What waited is lost: those at its ends have given up long ago. */
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
