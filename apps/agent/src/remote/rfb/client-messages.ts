/** The messages of an RFB client that this server supports. Source: RFC 6143, section 7.5. */
export type ClientMessage =
  | { type: 'pixel-format'; format: PixelFormat }
  | { type: 'encodings'; encodings: number[] }
  | { type: 'update-request'; incremental: boolean }
  | { type: 'key'; keysym: number; isDown: boolean }
  | { type: 'pointer'; x: number; y: number; buttons: number }
  | { type: 'cut-text'; text: string }
  /** Extended clipboard: `flags` and what follows them. */
  | { type: 'clipboard'; flags: number; payload: Buffer }

/** Position of each colour's byte in a pixel of four bytes. */
export interface PixelFormat {
  red: number
  green: number
  blue: number
}

/** Blue in the first byte, as in `ScreenPicture`. */
export const OWN_FORMAT: PixelFormat = { red: 2, green: 1, blue: 0 }

const MAX_ENCODINGS = 256
/** Longer texts of a clipboard end the session. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024

/** A client that sends something else than this server supports. The message is for the log. */
export class RfbError extends Error {}

/** Length of the message that starts here; undefined = more bytes are needed to know it. */
const LENGTHS: Record<number, (bytes: Buffer) => number | undefined> = {
  0: () => 20,
  2: (bytes) => (bytes.length < 4 ? undefined : 4 + 4 * bytes.readUInt16BE(2)),
  3: () => 10,
  4: () => 8,
  5: () => 6,
  6: (bytes) => (bytes.length < 8 ? undefined : 8 + Math.abs(bytes.readInt32BE(4))),
}

/** Takes the next whole message from the start of `bytes`; undefined = it is not complete. Throws RfbError. */
export function readClientMessage(bytes: Buffer): { message: ClientMessage; length: number } | undefined {
  if (bytes.length === 0) return undefined
  const kind = bytes.readUInt8(0)
  const lengthOf = LENGTHS[kind]
  if (lengthOf === undefined) throw new RfbError(`message ${kind} is unknown`)
  const length = lengthOf(bytes)
  if (length !== undefined && length > MAX_TEXT_BYTES) throw new RfbError(`message ${kind} is too long`)
  if (length === undefined || bytes.length < length) return undefined
  return { message: readMessage(kind, bytes.subarray(0, length)), length }
}

function readMessage(kind: number, bytes: Buffer): ClientMessage {
  switch (kind) {
    case 0:
      return { type: 'pixel-format', format: readPixelFormat(bytes.subarray(4)) }
    case 2: {
      const count = Math.min(bytes.readUInt16BE(2), MAX_ENCODINGS)
      return {
        type: 'encodings',
        encodings: Array.from({ length: count }, (_, at) => bytes.readInt32BE(4 + 4 * at)),
      }
    }
    case 3:
      return { type: 'update-request', incremental: bytes.readUInt8(1) !== 0 }
    case 4:
      return { type: 'key', keysym: bytes.readUInt32BE(4), isDown: bytes.readUInt8(1) !== 0 }
    case 5:
      return {
        type: 'pointer',
        x: bytes.readUInt16BE(2),
        y: bytes.readUInt16BE(4),
        buttons: bytes.readUInt8(1),
      }
    default: {
      const size = bytes.readInt32BE(4)
      if (size >= 0) return { type: 'cut-text', text: bytes.toString('latin1', 8) }
      if (size > -4) throw new RfbError('a clipboard message is too short')
      return { type: 'clipboard', flags: bytes.readUInt32BE(8), payload: bytes.subarray(12) }
    }
  }
}

/** Only 32 bits per pixel with a whole byte for each colour, which every current client has. */
function readPixelFormat(bytes: Buffer): PixelFormat {
  const [bits, , isBigEndian, isTrueColour] = bytes
  const isWhole = [4, 6, 8].every((at) => bytes.readUInt16BE(at) === 255)
  const places = [10, 11, 12].map((at) => bytes.readUInt8(at) / 8)
  if (bits !== 32 || isTrueColour === 0 || !isWhole || !places.every((place) => [0, 1, 2, 3].includes(place)))
    throw new RfbError('the pixel format is not supported')
  const [red = 0, green = 0, blue = 0] = isBigEndian === 0 ? places : places.map((place) => 3 - place)
  return { red, green, blue }
}
