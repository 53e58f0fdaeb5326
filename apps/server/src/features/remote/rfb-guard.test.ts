import { expect, test } from 'vitest'
import { RfbGuard } from './rfb-guard.ts'

const FORMAT = Buffer.from('000000002018000100ff00ff00ff000810000000', 'hex')
const EIGHT_BITS = Buffer.from(FORMAT).fill(8, 4, 6)
const POINTER = Buffer.from([5, 0, 1, 44, 0, 200])
/** With a button beyond the seventh: one byte longer. */
const POINTER_OF_MANY = Buffer.from([5, 0x80, 0, 1, 0, 2, 1])
const CLIPBOARD = Buffer.from([6, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 8])
const EXTENDED_CLIPBOARD = Buffer.from([6, 0, 0, 0, 255, 255, 255, 252, 99, 99, 99, 99])

/** All types of messages that noVNC sends, in the order of a session. */
const ORDINARY = Buffer.concat([
  FORMAT,
  encodings(1, 50, 7, -260, 16, 21, 5, 2, 6, 0, -26, -254, -223, -224, -258, -261, -308, -309, -312, -313),
  Buffer.from([3, 1, 0, 0, 0, 0, 4, 0, 3, 0]),
  POINTER,
  Buffer.from([4, 1, 0, 0, 0, 0, 0, 97]),
  Buffer.from([255, 0, 0, 1, 0, 0, 0, 97, 0, 0, 0, 30]),
  CLIPBOARD,
  EXTENDED_CLIPBOARD,
  Buffer.from([248, 0, 0, 0, 0, 0, 0, 1, 2, 99, 99]),
  Buffer.from([150, 1, 0, 0, 0, 0, 4, 0, 3, 0]),
  Buffer.from([250, 0, 1, 2]),
  Buffer.concat([Buffer.from([251, 0, 4, 0, 3, 0, 1, 0]), Buffer.alloc(16, 99)]),
  encodings(0, -307, -316, -239, 0x574d5664, 0xc0a1e5ce | 0, -23, -256),
  FORMAT,
  POINTER_OF_MANY,
])

test.each([1, 3, 7, ORDINARY.length])('messages of noVNC are accepted, in pieces of %i bytes', (size) => {
  const positions: string[] = []
  const guard = new RfbGuard((position) => positions.push(Buffer.from(position).toString('hex')))
  expect(takeAll(guard, ORDINARY, size)).toBeUndefined()
  expect(positions).toEqual(['012c00c8', '00010002'])
})

test.each([
  ['no format at first', POINTER, /picture format/],
  ['another format at first', EIGHT_BITS, /picture format/],
  ['another format later', Buffer.concat([ORDINARY, EIGHT_BITS]), /picture format/],
  ['an encoding that the player does not draw', Buffer.concat([FORMAT, encodings(7, 15)]), /picture format/],
  [
    'more encodings than there are',
    Buffer.concat([FORMAT, encodings(...Array.from({ length: 300 }, () => 0))]),
    /picture format/,
  ],
  ['an unknown message', Buffer.concat([ORDINARY, Buffer.from([99])]), /VNC message/],
])('%s cannot be recorded, in pieces of any size', (_, said, sentence) => {
  for (const size of [1, 5, said.length]) {
    const guard = new RfbGuard(() => {})
    expect(takeAll(guard, said, size)).toMatch(sentence)
  }
})

function takeAll(guard: RfbGuard, bytes: Buffer, size: number): string | undefined {
  for (let at = 0; at < bytes.length; at += size) {
    const unfit = guard.take(bytes.subarray(at, at + size))
    if (unfit !== undefined) return unfit
  }
  return undefined
}

function encodings(...wanted: number[]): Buffer {
  const message = Buffer.alloc(4 + 4 * wanted.length)
  message[0] = 2
  message.writeUInt16BE(wanted.length, 2)
  for (const [index, encoding] of wanted.entries()) message.writeInt32BE(encoding, 4 + 4 * index)
  return message
}
