import { CHANNEL_WINDOW_BYTES } from '@muster/contract/agent/channel'
import { CHANNEL_CLOSE } from '@muster/contract/channels'
import type { WebSocket } from 'ws'
import type { EarlyMessage } from './await-hello.ts'

/** A whole window of the channel may wait for a slow line, and a little more; who asks beyond reads nothing. */
const MOST_WAITING_BYTES = 2 * CHANNEL_WINDOW_BYTES

/** Hears a window from now on: frames of its channel, and "ping", which it hears back unless it does not read. */
export function hearWindow(
  socket: WebSocket,
  { takeEarly, onFrame }: { takeEarly: () => EarlyMessage[]; onFrame: (frame: Buffer) => void },
): void {
  const hear: (...message: EarlyMessage) => void = (data, isBinary) => {
    // `ws` hands over one Buffer unless it is told otherwise.
    const bytes = data as Buffer
    if (isBinary) onFrame(bytes)
    else if (bytes.toString('utf8') !== 'ping')
      socket.close(CHANNEL_CLOSE.unknownMessage, 'After the hello only channel frames are understood.')
    else if (socket.bufferedAmount < MOST_WAITING_BYTES) socket.send('pong')
  }
  socket.on('message', hear)
  for (const message of takeEarly()) hear(...message)
}
