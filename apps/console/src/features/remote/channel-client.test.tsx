import {
  CHANNEL_KIND,
  CHANNEL_WINDOW_BYTES,
  type ChannelFrame,
  decodeChannelFrame,
  encodeCredit,
  readChannelText,
} from '@muster/contract/agent/channel'
import { CreditDebt } from '@muster/contract/agent/channel-flow'
import { expect, onTestFinished, test, vi } from 'vitest'
import { RETRY_BLOCKED_MS } from '../../app/live/live-socket.ts'
import { ChannelClient } from './channel-client.ts'

/** A window whose machine grants credit when the test says so. */
async function givenWindow() {
  const frames: ChannelFrame[] = []
  const sockets: EventTarget[] = []
  class Socket extends EventTarget {
    static readonly OPEN = 1
    readonly readyState = 1
    constructor() {
      super()
      sockets.push(this)
    }
    send(message: string | Uint8Array): void {
      if (typeof message === 'string') return
      const frame = decodeChannelFrame(message)
      if ('wrong' in frame) throw new Error(frame.wrong)
      frames.push(frame)
    }
    close(): void {}
  }
  vi.stubGlobal('WebSocket', Socket)
  onTestFinished(() => void vi.unstubAllGlobals())
  const client = new ChannelClient('a', {
    fetchTicket: async () => 'ticket',
    request: () => ({ tool: 'terminal', session: null, cols: 80, rows: 24 }),
    onWelcome: () => {},
    onData: () => {},
    onText: () => {},
    onLost: () => {},
    onEnd: () => false,
  })
  onTestFinished(() => client[Symbol.dispose]())
  await expect.poll(() => sockets).toHaveLength(1)
  const debt = new CreditDebt()
  let taken = 0
  return {
    client,
    frames,
    /** The machine consumes the new frames, and grants credit for them. */
    takeAll: () => {
      for (const { payload } of frames.slice(taken)) {
        const credit = debt.consume(payload.length)
        if (credit === 0) continue
        const { buffer } = encodeCredit(0, credit)
        sockets[0]?.dispatchEvent(new MessageEvent('message', { data: buffer }))
      }
      taken = frames.length
    },
  }
}

test('a window that has sent messages for days still sends them', async () => {
  const { client, frames, takeAll } = await givenWindow()
  const many = 60_000
  for (let number = 1; number <= many; number += 1) {
    client.sendText({ type: 'ping', number })
    takeAll()
  }
  expect(frames).toHaveLength(many)
  expect(readChannelText(frames.at(-1)?.payload ?? new Uint8Array())).toEqual({ type: 'ping', number: many })
})

test('sockets that end without a word although there are tickets are blocked by a proxy', async () => {
  vi.useFakeTimers()
  const sockets: EventTarget[] = []
  class Socket extends EventTarget {
    constructor() {
      super()
      sockets.push(this)
    }
    close(): void {}
  }
  vi.stubGlobal('WebSocket', Socket)
  onTestFinished(() => {
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })
  const lost: unknown[] = []
  let isDown = false
  using _client = new ChannelClient('a', {
    fetchTicket: () => (isDown ? Promise.reject(new Error('down')) : Promise.resolve('ticket')),
    request: () => ({ tool: 'terminal', session: null, cols: 80, rows: 24 }),
    onWelcome: () => {},
    onData: () => {},
    onText: () => {},
    onLost: (why) => void lost.push(why),
    onEnd: () => false,
  })
  const fail = async () => {
    sockets.at(-1)?.dispatchEvent(new CloseEvent('close', { code: 1006 }))
    await vi.advanceTimersByTimeAsync(1_000)
  }
  await vi.advanceTimersByTimeAsync(0)
  await fail()
  // A server that restarts between the ticket and the socket looks the same once.
  expect([sockets.length, lost]).toEqual([2, []])
  await fail()
  expect(lost).toEqual(['blocked'])
  isDown = true
  await vi.advanceTimersByTimeAsync(RETRY_BLOCKED_MS)
  expect([sockets.length, lost[1]]).toEqual([2, undefined])
})

test('a message without credit waits behind the paste', async () => {
  const { client, frames, takeAll } = await givenWindow()
  client.sendData(new Uint8Array(CHANNEL_WINDOW_BYTES + 1))
  client.sendText({ type: 'resize', cols: 100, rows: 30 })
  expect(frames.every(({ kind }) => kind === CHANNEL_KIND.data)).toBe(true)
  takeAll()
  const last = frames.at(-1)
  expect(last?.kind).toBe(CHANNEL_KIND.text)
  expect(readChannelText(last?.payload ?? new Uint8Array())).toEqual({ type: 'resize', cols: 100, rows: 30 })
  expect(
    frames.reduce((sum, { kind, payload }) => sum + (kind === CHANNEL_KIND.data ? payload.length : 0), 0),
  ).toBe(CHANNEL_WINDOW_BYTES + 1)
})
