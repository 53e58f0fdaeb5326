import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  CHANNEL_KIND,
  CHANNEL_WINDOW_BYTES,
  decodeChannelFrame,
  encodeChannelFrame,
  encodeCredit,
} from './channel.ts'
import { CreditDebt, SendWindow } from './channel-flow.ts'

const size = fc.integer({ min: 0, max: CHANNEL_WINDOW_BYTES + 10 })

test('unacknowledged bytes never exceed a window, in any sequence', () => {
  const steps = fc.array(fc.record({ is: fc.constantFrom('send', 'read'), bytes: size }), { maxLength: 200 })
  fc.assert(
    fc.property(steps, (given) => {
      const window = new SendWindow()
      const debt = new CreditDebt()
      let underWay = 0
      let owed = 0
      for (const { is, bytes } of given) {
        if (is === 'send') {
          const fits = bytes <= window.left
          expect(window.take(bytes)).toBe(fits)
          if (fits) underWay += bytes
        } else {
          const read = Math.min(bytes, underWay)
          underWay -= read
          owed += read
          const credit = debt.consume(read)
          owed -= credit
          expect(window.add(credit)).toBe(true)
        }
        expect(window.left).toBe(CHANNEL_WINDOW_BYTES - underWay - owed)
        // A reader that reads everything never blocks the sender.
        expect(owed).toBeLessThan(CHANNEL_WINDOW_BYTES / 4)
      }
    }),
  )
})

test('credit beyond a window is refused, and changes nothing', () => {
  fc.assert(
    fc.property(size, size, (sent, credit) => {
      const window = new SendWindow()
      window.take(sent)
      const before = window.left
      const fits = before + credit <= CHANNEL_WINDOW_BYTES
      expect(window.add(credit)).toBe(fits)
      expect(window.left).toBe(fits ? before + credit : before)
    }),
  )
})

test.each([
  ['data', encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: 7, payload: new Uint8Array(0) })],
  ['text', encodeChannelFrame({ kind: CHANNEL_KIND.text, channel: 7, payload: new Uint8Array(0) })],
  ['credit', encodeCredit(7, 0)],
])('an empty frame of %s is refused, because no window limits it', (_, bytes) => {
  expect(decodeChannelFrame(bytes)).toEqual({ wrong: 'A channel frame must not be empty.', channel: 7 })
})
