import { CHANNEL_KIND, decodeChannelFrame, readChannelText } from '@muster/contract/agent/channel'
import { expect, test } from 'vitest'
import { Channel } from './channel.ts'

test('an unread state message is replaced by the next one', () => {
  const channel = new Channel(1, () => {})
  channel.sendText({ type: 'opened' })
  for (let number = 1; number <= 100_000; number += 1) channel.sendNewest({ type: 'pong', number })
  channel.sendNewest({ type: 'people', people: [] })
  expect(channel.isFull).toBe(false)
  channel.sendData(Buffer.from('screen'))
  const sent: unknown[] = []
  for (let bytes = channel.nextFrame(); bytes !== undefined; bytes = channel.nextFrame()) {
    const frame = decodeChannelFrame(bytes)
    if ('wrong' in frame) throw new Error(frame.wrong)
    const { kind, payload } = frame
    sent.push(kind === CHANNEL_KIND.text ? readChannelText(payload) : String(Buffer.from(payload)))
  }
  expect(sent).toEqual([
    { type: 'opened' },
    { type: 'pong', number: 100_000 },
    { type: 'people', people: [] },
    'screen',
  ])
  channel.sendNewest({ type: 'pong', number: 7 })
  expect(channel.nextFrame()).toBeDefined()
})
