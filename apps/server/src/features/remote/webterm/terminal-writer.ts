import { writeSync } from 'node:fs'
import type { Socket } from 'node:net'

const RETRY_MS = 10

/**
 * Writes to the controlling end of a terminal, which accepts 4 kB and then waits for its program. Polls a hundred times
 * a second; a Node stream would poll with a whole core. `socket` reads from the same descriptor.
 */
export function createTerminalWriter(
  fd: number,
  socket: Socket,
): (bytes: Buffer, onTaken: () => void) => void {
  const waiting: { left: Buffer; onTaken: () => void }[] = []
  let timer: NodeJS.Timeout | undefined
  const push = (): void => {
    timer = undefined
    // After closing, its number may belong to another file.
    for (let [first] = waiting; first !== undefined && !socket.destroyed; [first] = waiting) {
      first.left = first.left.subarray(writeSome(fd, first.left))
      if (first.left.length > 0) {
        timer = setTimeout(push, RETRY_MS)
        return
      }
      waiting.shift()
      first.onTaken()
    }
  }
  socket.once('close', () => clearTimeout(timer))
  return (bytes, onTaken) => {
    waiting.push({ left: bytes, onTaken })
    if (timer === undefined) push()
  }
}

function writeSome(fd: number, bytes: Buffer): number {
  try {
    return writeSync(fd, bytes)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Its program has ended, so nobody reads the rest.
    if (code === 'EIO') return bytes.length
    if (code === 'EAGAIN') return 0
    throw error
  }
}
