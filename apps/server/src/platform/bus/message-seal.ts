import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

// Messages between servers carry a MAC with a key that all servers of one database share, because a program that
// reaches NATS could otherwise have commands signed for machines. A message is: version, sender, number, time, MAC, content.
// The number grows with each message of a sender, so a repeated message is not taken twice by the same subscription.

const VERSION = 1
const SENDER_BYTES = 8
const HEAD_BYTES = 1 + SENDER_BYTES + 6 + 6
const MAC_BYTES = 32
/** Added to the content of each message. */
export const SEAL_BYTES = HEAD_BYTES + MAC_BYTES
/** Older messages are not taken, and servers whose clocks differ by more do not understand each other. */
const MAX_AGE_MS = 2 * 60_000

/** The MAC of a sealed message. */
export const macOf = (sealed: Buffer): Buffer => sealed.subarray(HEAD_BYTES, SEAL_BYTES)

/** Content, or why the message is not taken. */
export type Opened = { content: Buffer; mac: Buffer } | { problem: string }

/** Seals and opens the messages of one connection. */
export class MessageSeal {
  #key: string
  #sender = randomBytes(SENDER_BYTES)
  #number = 0

  constructor(key: string) {
    this.#key = key
  }

  /** `about` is the subject, and for a reply also the request. The message opens only with the same. */
  seal(content: Uint8Array | string, about: string): Buffer {
    this.#number += 1
    const head = Buffer.alloc(HEAD_BYTES)
    head.writeUInt8(VERSION)
    this.#sender.copy(head, 1)
    head.writeUIntBE(this.#number, 1 + SENDER_BYTES, 6)
    head.writeUIntBE(Date.now(), 1 + SENDER_BYTES + 6, 6)
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    return Buffer.concat([head, this.#macOf(head, about, bytes), bytes])
  }

  /** A reader for one subscription, or for one reply. */
  reader(): (message: Uint8Array, about: string) => Opened {
    const last = new Map<string, number>()
    return (message, about) => {
      const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
      if (bytes.length < SEAL_BYTES || bytes[0] !== VERSION) return { problem: 'not sealed' }
      const head = bytes.subarray(0, HEAD_BYTES)
      const mac = bytes.subarray(HEAD_BYTES, SEAL_BYTES)
      const content = bytes.subarray(SEAL_BYTES)
      if (!timingSafeEqual(mac, this.#macOf(head, about, content)))
        return { problem: 'sealed with another key' }
      const sender = head.toString('base64url', 1, 1 + SENDER_BYTES)
      const number = head.readUIntBE(1 + SENDER_BYTES, 6)
      const sentMs = head.readUIntBE(1 + SENDER_BYTES + 6, 6)
      if (Math.abs(Date.now() - sentMs) > MAX_AGE_MS)
        return { problem: 'old, or the clocks of the servers differ' }
      if (number <= (last.get(sender) ?? 0)) return { problem: 'repeated' }
      last.set(sender, number)
      return { content, mac }
    }
  }

  #macOf(head: Uint8Array, about: string, content: Uint8Array): Buffer {
    // The length separates what the message is about from its content.
    const text = Buffer.from(about)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(text.length)
    return createHmac('sha256', this.#key).update(head).update(length).update(text).update(content).digest()
  }
}
