import type { ScreenEvent } from '@muster/contract/api/remote'

export const SCREEN_EVENT = {
  /** Bytes of the VNC server. */
  stream: 0,
  /** Position of the pointer: two numbers of two bytes. */
  pointer: 1,
} as const
export type ScreenEventKind = (typeof SCREEN_EVENT)[keyof typeof SCREEN_EVENT]

const HEAD_BYTES = 9

/** One byte for the type, four for milliseconds since the window opened, four for the length. */
export function writeEventHead({
  kind,
  ms,
  length,
}: {
  kind: ScreenEventKind
  ms: number
  length: number
}): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES)
  head[0] = kind
  head.writeUInt32BE(ms, 1)
  head.writeUInt32BE(length, 5)
  return head
}

/** The events of a piece, as sent to the console. */
export function readScreenEvents(piece: Buffer): ScreenEvent[] {
  const events: ScreenEvent[] = []
  for (let at = 0; at + HEAD_BYTES <= piece.length;) {
    const ms = piece.readUInt32BE(at + 1)
    const from = at + HEAD_BYTES
    const to = from + piece.readUInt32BE(at + 5)
    if (piece[at] === SCREEN_EVENT.stream) events.push([ms, 's', piece.toString('base64', from, to)])
    else if (to - from === 4)
      events.push([ms, 'p', `${piece.readUInt16BE(from)},${piece.readUInt16BE(from + 2)}`])
    at = to
  }
  return events
}
