import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { bufferUntilReady } from './accept-socket.ts'

/** Much more than the socket buffers of both sides. */
const PICTURE = Buffer.alloc(32 * 1024 * 1024)

async function givenWindow() {
  const listening = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => listening.close())
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  const window = new WebSocket(`ws://127.0.0.1:${port}`)
  onTestFinished(() => window.terminate())
  const [[socket]] = (await Promise.all([once(listening, 'connection'), once(window, 'open')])) as [
    [WebSocket],
    unknown,
  ]
  const frames: string[] = []
  const texts: string[] = []
  window.on('message', (data, isBinary) => isBinary || texts.push((data as Buffer).toString()))
  bufferUntilReady(socket, { takeEarly: () => [], onFrame: (frame) => frames.push(String(frame)) })
  return { socket, window, frames, texts }
}

test('a window that sends pings without reading gets no response until it reads', async () => {
  const { socket, window, frames, texts } = await givenWindow()
  window.pause()
  socket.send(PICTURE)
  const waiting = socket.bufferedAmount
  expect(waiting).toBeGreaterThan(PICTURE.length / 2)
  for (let count = 0; count < 1000; count += 1) window.send('ping')
  window.send(Buffer.from('all asked'))
  await expect.poll(() => frames).toEqual(['all asked'])
  expect(socket.bufferedAmount).toBeLessThanOrEqual(waiting)
  window.resume()
  await expect.poll(() => socket.bufferedAmount).toBe(0)
  window.send('ping')
  await expect.poll(() => texts).toEqual(['pong'])
})

test('an unknown message ends the window with a sentence', async () => {
  const { window } = await givenWindow()
  window.send('pang')
  const [code, reason] = (await once(window, 'close')) as [number, Buffer]
  expect([code, String(reason)]).toEqual([4003, 'After the hello only channel frames are supported.'])
})
