import { constants, deflateSync, inflateSync } from 'node:zlib'
import { RfbError } from './client-messages.ts'

export const EXTENDED_CLIPBOARD = 0xc0_a1_e5_ce | 0

/** Flags. Source: RFB protocol, "Extended Clipboard Pseudo-Encoding". */
const TEXT = 1
const CAPABILITIES = 1 << 24
const REQUEST = 1 << 25
const PEEK = 1 << 26
const NOTIFY = 1 << 27
const PROVIDE = 1 << 28
const MAX_TEXT_BYTES = 8 * 1024 * 1024

/** A message of the client. `text` = its clipboard was copied; `has-text` = it can be requested. */
export type ClipboardMessage =
  | { type: 'request' | 'peek' | 'has-text' | 'other' }
  | { type: 'text'; text: string }

/** The capabilities of this server: text, on request only. */
export const clipboardCapabilities = () =>
  serverMessage(CAPABILITIES | REQUEST | PEEK | NOTIFY | PROVIDE | TEXT, Buffer.alloc(4))
export const requestClipboard = () => serverMessage(REQUEST | TEXT)
/** Whether this machine's clipboard has text. */
export const notifyClipboard = (hasText: boolean) => serverMessage(NOTIFY | (hasText ? TEXT : 0))

export function provideClipboard(text: string): Buffer {
  const bytes = Buffer.from(`${withLineEnds(text)}\0`)
  const size = Buffer.alloc(4)
  size.writeUInt32BE(bytes.length)
  return serverMessage(PROVIDE | TEXT, deflateSync(Buffer.concat([size, bytes])))
}

/** For clients without this extension: characters outside Latin-1 are lost. */
export function cutText(text: string): Buffer {
  const bytes = Buffer.from(text.replaceAll(/[^\0-\u00FF]/gu, '?'), 'latin1')
  const head = Buffer.alloc(8)
  head[0] = 3
  head.writeInt32BE(bytes.length, 4)
  return Buffer.concat([head, bytes])
}

/** Throws RfbError. */
export function readClipboard(flags: number, payload: Buffer): ClipboardMessage {
  const hasText = (flags & TEXT) !== 0
  switch (flags & 0xff_00_00_00) {
    case REQUEST:
      return { type: hasText ? 'request' : 'other' }
    case PEEK:
      return { type: 'peek' }
    case NOTIFY:
      return { type: hasText ? 'has-text' : 'other' }
    case PROVIDE:
      return hasText ? { type: 'text', text: readText(payload) } : { type: 'other' }
    default:
      return { type: 'other' }
  }
}

function readText(payload: Buffer): string {
  let bytes: Buffer
  try {
    bytes = inflateSync(payload, { maxOutputLength: MAX_TEXT_BYTES, finishFlush: constants.Z_SYNC_FLUSH })
  } catch (cause) {
    throw new RfbError('the text of a clipboard cannot be read', { cause })
  }
  if (bytes.length < 4) throw new RfbError('the text of a clipboard has no length')
  return bytes.toString('utf8', 4, 4 + bytes.readUInt32BE(0)).replace(/\0.*$/s, '')
}

const withLineEnds = (text: string) => text.replaceAll(/\r\n|\r|\n/g, '\r\n')

function serverMessage(flags: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(12)
  head[0] = 3
  head.writeInt32BE(-(4 + payload.length), 4)
  head.writeInt32BE(flags, 8)
  return Buffer.concat([head, payload])
}
