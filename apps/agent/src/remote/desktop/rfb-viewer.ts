import { createCipheriv } from 'node:crypto'

const VERSION = 'RFB 003.008\n'
const VNC_PASSWORD = 2

/** The steps of a VNC viewer that tests need. */
export class RfbViewer {
  #send: (bytes: Buffer) => void
  #received: (count: number) => Promise<Buffer>
  #at = 0

  /** Resolves with everything received when it has this many bytes. */
  constructor(send: (bytes: Buffer) => void, received: (count: number) => Promise<Buffer>) {
    this.#send = send
    this.#received = received
  }

  /** Takes this many bytes of the server's data. */
  async take(count: number): Promise<Buffer> {
    const all = await this.#received(this.#at + count)
    const bytes = all.subarray(this.#at, this.#at + count)
    this.#at += count
    return bytes
  }

  /** Size of the screen; undefined if the password is refused. */
  async connect(password: string): Promise<{ width: number; height: number } | undefined> {
    await this.take(VERSION.length)
    this.#send(Buffer.from(VERSION))
    const [count] = await this.take(1)
    const kinds = await this.take(count ?? 0)
    if (!kinds.includes(VNC_PASSWORD)) throw new Error('The server requires no password.')
    this.#send(Buffer.from([VNC_PASSWORD]))
    this.#send(answerTo(await this.take(16), password))
    const result = await this.take(4)
    if (result.readUInt32BE(0) !== 0) return undefined
    this.#send(Buffer.from([1]))
    const init = await this.take(24)
    await this.take(init.readUInt32BE(20))
    return { width: init.readUInt16BE(0), height: init.readUInt16BE(2) }
  }

  /** Requests the whole screen. */
  async look({ width, height }: { width: number; height: number }): Promise<Buffer> {
    const request = Buffer.alloc(10)
    request[0] = 3
    request.writeUInt16BE(width, 6)
    request.writeUInt16BE(height, 8)
    this.#send(request)
    const head = await this.take(4)
    const parts: Buffer[] = []
    for (let left = head.readUInt16BE(2); left > 0; left -= 1) {
      const rectangle = await this.take(12)
      parts.push(await this.take(rectangle.readUInt16BE(4) * rectangle.readUInt16BE(6) * 4))
    }
    return Buffer.concat(parts)
  }

  press(keysym: number): void {
    for (const down of [1, 0]) {
      const event = Buffer.alloc(8)
      event[0] = 4
      event[1] = down
      event.writeUInt32BE(keysym, 4)
      this.#send(event)
    }
  }
}

/** The challenge encrypted with the password, whose bytes are bit-reversed. */
function answerTo(challenge: Buffer, password: string): Buffer {
  const key = Buffer.alloc(8)
  key.write(password.slice(0, 8), 'latin1')
  for (const [index, byte] of key.entries()) key[index] = turn(byte)
  const cipher = createCipheriv('des-ede3-ecb', Buffer.concat([key, key, key]), null).setAutoPadding(false)
  return Buffer.concat([cipher.update(challenge), cipher.final()])
}

function turn(byte: number): number {
  return Number.parseInt(byte.toString(2).padStart(8, '0').split('').toReversed().join(''), 2)
}
