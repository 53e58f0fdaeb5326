import {
  CHANNEL_KIND,
  CHANNEL_WINDOW_BYTES,
  decodeChannelFrame,
  encodeCredit,
  readChannelText,
} from '@muster/contract/agent/channel'
import { expect, test } from 'vitest'
import { Channel } from '../channels/channel.ts'
import { TerminalViewers } from './viewers.ts'

const RESIZES = 50_000

test('a viewer who does not read gets the last size only', async () => {
  const channel = new Channel(1, () => {})
  const guests = new TerminalViewers({
    readAll: () => Buffer.from('screen'),
    write: () => {},
    onChange: () => {},
    onLeft: () => {},
  })
  guests.admit({ visit: 'visit', name: 'Ben', mode: 'view', channel }, [])
  for (let cols = 1; cols <= RESIZES; cols += 1) guests.broadcast({ type: 'size', cols, rows: 24 })
  guests.broadcast({ type: 'people', people: [] })
  const news: unknown[] = []
  let bytes = 0
  const drain = async () => {
    for (let sent = channel.nextFrame(); sent !== undefined; sent = channel.nextFrame()) {
      const frame = decodeChannelFrame(sent)
      if ('wrong' in frame) throw new Error(frame.wrong)
      bytes += frame.payload.length
      if (frame.kind === CHANNEL_KIND.text) news.push(readChannelText(frame.payload))
      const credit = decodeChannelFrame(encodeCredit(1, frame.payload.length))
      if ('wrong' in credit) throw new Error(credit.wrong)
      channel.take(credit)
      // It is notified that there is room again.
      await Promise.resolve()
    }
  }
  await drain()
  expect(bytes).toBeLessThan(CHANNEL_WINDOW_BYTES)
  expect(news.slice(-2)).toEqual([
    { type: 'size', cols: RESIZES, rows: 24 },
    { type: 'people', people: [] },
  ])
  guests.broadcast({ type: 'size', cols: 7, rows: 7 })
  await drain()
  expect(news.at(-1)).toEqual({ type: 'size', cols: 7, rows: 7 })
})
