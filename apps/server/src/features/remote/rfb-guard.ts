/** As requested by noVNC: 32 bits per pixel, 24 bits of colour, little-endian, red lowest. */
const PIXEL_FORMAT = Buffer.from('0000000020180001' + '00ff00ff00ff' + '000810' + '000000', 'hex')
/** Encodings that the player supports, as requested by noVNC: of pictures, and pseudo-encodings. */
const ENCODINGS = new Set([
  0,
  1,
  2,
  5,
  6,
  7,
  16,
  21,
  50,
  -260,
  -223,
  -224,
  -239,
  -258,
  -261,
  -307,
  -308,
  -309,
  -312,
  -313,
  -316,
  0x574d5664,
  0xc0a1e5ce | 0,
])
/** Ranges, inclusive: picture quality and compression. */
const LEVELS = [
  [-23, -32],
  [-247, -256],
] as const
const MAX_ENCODINGS = 256

const SET_PIXEL_FORMAT = 0
const SET_ENCODINGS = 2
const POINTER_EVENT = 5
const CUT_TEXT = 6
const MAX_HEAD_LENGTH = 4 + 4 * MAX_ENCODINGS

/**
 * Size of the message that starts here, of which `read` bytes must be present. Undefined = more data is needed first.
 */
type Measure = (head: Buffer) => { size: number; read: number } | undefined

const fixed = (size: number): Measure => whole(() => size, 1)
/** A message of which only the length field is read. */
const tail =
  (head: number, sizeOf: (head: Buffer) => number): Measure =>
  (bytes) =>
    bytes.length < head ? undefined : { size: sizeOf(bytes), read: head }

function whole(sizeOf: (head: Buffer) => number, head: number): Measure {
  return (bytes) => {
    if (bytes.length < head) return undefined
    const size = sizeOf(bytes)
    return { size, read: size }
  }
}

const MEASURES: Record<number, Measure> = {
  [SET_PIXEL_FORMAT]: fixed(20),
  [SET_ENCODINGS]: whole((head) => 4 + 4 * head.readUInt16BE(2), 4),
  // FramebufferUpdateRequest and KeyEvent.
  3: fixed(10),
  4: fixed(8),
  // One byte more if the marker bit announces further buttons.
  [POINTER_EVENT]: whole((head) => (head.readUInt8(1) > 0x7f ? 7 : 6), 2),
  [CUT_TEXT]: tail(8, (head) => 8 + Math.abs(head.readInt32BE(4))),
  // EnableContinuousUpdates, ClientFence, xvp, SetDesktopSize, and a key of QEMU.
  150: fixed(10),
  248: tail(9, (head) => 9 + head.readUInt8(8)),
  250: fixed(4),
  251: tail(8, (head) => 8 + 16 * head.readUInt8(6)),
  255: fixed(12),
}

/**
 * Reads the messages of a window after the handshake, in any pieces, and verifies that all pictures are in the format
 * of the player: one pixel format from the first message on, and only known encodings.
 */
export class RfbGuard {
  #head = Buffer.alloc(0)
  #skip = 0
  #hasFormat = false
  #onPointer: (position: Uint8Array) => void

  /** `onPointer`: position of the pointer, two numbers of two bytes. */
  constructor(onPointer: (position: Uint8Array) => void) {
    this.#onPointer = onPointer
  }

  /** Returns why it cannot be recorded, or undefined. No byte of a rejected message is passed on. */
  take(bytes: Uint8Array): string | undefined {
    const skipped = Math.min(this.#skip, bytes.length)
    this.#skip -= skipped
    let rest = Buffer.concat([this.#head, bytes.subarray(skipped)])
    while (rest.length > 0) {
      const kind = rest.readUInt8(0)
      const measure = MEASURES[kind]
      if (measure === undefined) return UNKNOWN
      if (!this.#hasFormat && kind !== SET_PIXEL_FORMAT) return FORMAT
      const measured = measure(rest)
      if (measured !== undefined && measured.read > MAX_HEAD_LENGTH) return FORMAT
      if (measured === undefined || rest.length < measured.read) break
      const unfit = this.#look(kind, rest.subarray(0, measured.read))
      if (unfit !== undefined) return unfit
      this.#skip = Math.max(0, measured.size - rest.length)
      rest = rest.subarray(measured.size)
    }
    this.#head = Buffer.from(rest)
    return undefined
  }

  #look(kind: number, message: Buffer): string | undefined {
    if (kind === POINTER_EVENT) this.#onPointer(message.subarray(2, 6))
    if (kind === SET_PIXEL_FORMAT) {
      this.#hasFormat = true
      return message.equals(PIXEL_FORMAT) ? undefined : FORMAT
    }
    if (kind !== SET_ENCODINGS) return undefined
    for (let at = 4; at < message.length; at += 4) if (!isDrawn(message.readInt32BE(at))) return FORMAT
    return undefined
  }
}

function isDrawn(encoding: number): boolean {
  return ENCODINGS.has(encoding) || LEVELS.some(([most, least]) => encoding <= most && encoding >= least)
}

const FORMAT =
  'This session must be recorded, and the window requested a picture format that recordings do not support.'
const UNKNOWN =
  'This session must be recorded, and the window sent a VNC message that recordings do not support.'
