import {
  CHANNEL_KIND,
  CHANNEL_WINDOW_BYTES,
  decodeChannelFrame,
  encodeChannelFrame,
  encodeCredit,
} from '@muster/contract/agent/channel'
import { CreditDebt } from '@muster/contract/agent/channel-flow'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Channel } from './channel.ts'
import { Channels } from './channels.ts'

/** Two channels over one connection, whose system accepts bytes when the test says so. */
function givenTwoChannels() {
  const onItsWay: { bytes: Uint8Array; onTaken: () => void }[] = []
  const channels = new Channels({
    sendBytes: (bytes, onTaken) => {
      onItsWay.push({ bytes, onTaken })
      return true
    },
    bufferedBytes: () => onItsWay.reduce((sum, { bytes }) => sum + bytes.length, 0),
  })
  const sides = [1, 2].map((id) => givenSide(channels, id))
  return {
    channels,
    sides,
    /** The system accepts the oldest frame, and it arrives. */
    deliver: () => {
      const first = onItsWay.shift()
      if (first === undefined) return false
      const frame = decodeChannelFrame(first.bytes)
      if ('wrong' in frame) throw new Error(frame.wrong)
      sides.find(({ id }) => id === frame.channel)?.receive(frame)
      first.onTaken()
      return true
    },
  }
}

function givenSide(channels: Channels, id: number) {
  const channel = channels.open(id)
  if ('code' in channel) throw new Error(channel.message)
  const consumed: number[] = []
  const arrived: Buffer[] = []
  const written: Buffer[] = []
  const received: Buffer[] = []
  channel.use({
    onData: (bytes) => {
      arrived.push(bytes)
      consumed.push(bytes.length)
    },
    onText: () => {},
    onDrain: () => {},
    onEnd: () => {},
  })
  const side = {
    id,
    channel,
    debt: new CreditDebt(),
    /** Sent by the machine and not read by the browser yet. */
    unread: 0,
    credit: CHANNEL_WINDOW_BYTES,
    typed: [] as Buffer[],
    isEnded: false,
    written,
    arrived,
    received,
    consumeOne: () => channel.consumed(consumed.shift() ?? 0),
    receive({ kind, payload }: { kind: number; payload: Uint8Array }) {
      expect(side.isEnded).toBe(false)
      if (kind === CHANNEL_KIND.end) side.isEnded = true
      if (kind === CHANNEL_KIND.credit)
        side.credit += new DataView(payload.buffer, payload.byteOffset).getUint32(0)
      if (kind !== CHANNEL_KIND.data) return
      received.push(Buffer.from(payload))
      side.unread += payload.length
      expect(side.unread).toBeLessThanOrEqual(CHANNEL_WINDOW_BYTES)
    },
  }
  return side
}

type Side = ReturnType<typeof givenSide>

const join = (pieces: Buffer[]) => Buffer.concat(pieces)

let counter = 0
/** Bytes that encode their position. */
function nextBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at += 1) bytes[at] = (counter += 1) % 251
  return bytes
}

function read(channels: Channels, side: Side, bytes: number): void {
  const taken = Math.min(bytes, side.unread)
  side.unread -= taken
  const credit = side.debt.consume(taken)
  if (credit > 0) channels.take(encodeCredit(side.id, credit))
}

const step = fc.record({
  side: fc.constantFrom(0, 1),
  is: fc.constantFrom('write', 'deliver', 'deliver', 'read', 'type', 'consume', 'end'),
  bytes: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 300_000 })),
})

test('no byte is lost, repeated or reordered, and no window is exceeded, in any sequence of two channels', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const { channels, sides, deliver } = givenTwoChannels()
      for (const { side: index, is, bytes } of steps) {
        const side = sides[index]
        if (side === undefined) throw new Error('there are two')
        switch (is) {
          case 'write': {
            const piece = nextBytes(bytes)
            if (!side.channel.isOver && !hasEnded.has(side.channel)) side.written.push(piece)
            side.channel.sendData(piece)
            break
          }
          case 'deliver':
            deliver()
            break
          case 'read':
            if (!side.isEnded) read(channels, side, bytes)
            break
          case 'type': {
            const piece = nextBytes(Math.min(bytes, side.credit, 65_536))
            if (side.isEnded || side.channel.isOver || piece.length === 0) break
            side.credit -= piece.length
            side.typed.push(piece)
            channels.take(encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: side.id, payload: piece }))
            break
          }
          case 'consume':
            side.consumeOne()
            break
          case 'end':
            hasEnded.add(side.channel)
            side.channel.end({ code: 'ended', message: 'Over.' })
        }
      }
      // In the end everything has arrived and is read.
      while (deliver() || sides.some(({ unread }) => unread > 0)) {
        for (const side of sides) if (side.unread > 0) read(channels, side, side.unread)
      }
      for (const { written, received, typed, arrived, channel, isEnded } of sides) {
        expect(join(received).equals(join(written))).toBe(true)
        expect(join(arrived).equals(join(typed))).toBe(true)
        expect(isEnded).toBe(hasEnded.has(channel))
      }
    }),
    { numRuns: 150 },
  )
})

/** Channels that the machine has ended: later bytes need not arrive. */
const hasEnded = new WeakSet<Channel>()
