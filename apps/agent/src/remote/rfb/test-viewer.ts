import { constants, deflateSync, inflateSync } from 'node:zlib'

const VERSION = 'RFB 003.008\n'
const ENCODING = {
  raw: 0,
  tight: 7,
  size: -223,
  cursor: -239,
  alphaCursor: 0x57_4d_56_64,
  clipboard: 0xc0_a1_e5_ce | 0,
  quality: -26,
} as const
type EncodingName = keyof typeof ENCODING

const CLIPBOARD = { text: 1, caps: 1 << 24, request: 1 << 25, notify: 1 << 27, provide: 1 << 28 } as const

/** A viewer that draws, for tests: what the encodings mean, written from their descriptions. */
export class TestViewer {
  width = 0
  height = 0
  /** One number for each pixel, red in the highest of three bytes. */
  pixels = new Uint32Array()
  cursor: { width: number; height: number; hotX: number; hotY: number; bytes: Buffer } | undefined
  /** JPEG pictures are not drawn. */
  jpegs: Buffer[] = []
  /** How often each kind of rectangle was drawn. */
  readonly drawn = { raw: 0, fill: 0, palette: 0, copy: 0, jpeg: 0 }
  /** Texts copied on the machine. */
  readonly copied: string[] = []
  /** How often the own text was sent to the machine. */
  provided = 0
  #own: string | undefined
  #io: { take: (count: number) => Promise<Buffer>; send: (bytes: Buffer) => void }

  constructor(io: { take: (count: number) => Promise<Buffer>; send: (bytes: Buffer) => void }) {
    this.#io = io
  }

  async connect(encodings: readonly EncodingName[]): Promise<string> {
    const { take, send } = this.#io
    if ((await take(VERSION.length)).toString() !== VERSION) throw new Error('not RFB 3.8')
    send(Buffer.from(VERSION))
    if (!(await take(2)).equals(Buffer.from([1, 1]))) throw new Error('a password is required')
    send(Buffer.from([1]))
    if ((await take(4)).readUInt32BE() !== 0) throw new Error('refused')
    send(Buffer.from([1]))
    const init = await take(24)
    this.#resize(init.readUInt16BE(0), init.readUInt16BE(2))
    const name = (await take(init.readUInt32BE(20))).toString()
    // As noVNC requests it: red in the lowest byte.
    send(Buffer.from('0000000020180001' + '00ff00ff00ff' + '000810' + '000000', 'hex'))
    this.setEncodings(encodings)
    return name
  }

  setEncodings(encodings: readonly EncodingName[]): void {
    const message = Buffer.alloc(4 + 4 * encodings.length)
    message[0] = 2
    message.writeUInt16BE(encodings.length, 2)
    for (const [index, encoding] of encodings.entries())
      message.writeInt32BE(ENCODING[encoding], 4 + 4 * index)
    this.#io.send(message)
  }

  requestPicture({ incremental }: { incremental: boolean }): void {
    const request = Buffer.alloc(10)
    request[0] = 3
    request[1] = Number(incremental)
    request.writeUInt16BE(this.width, 6)
    request.writeUInt16BE(this.height, 8)
    this.#io.send(request)
  }

  key(keysym: number, isDown: boolean): void {
    const event = Buffer.alloc(8)
    event[0] = 4
    event[1] = Number(isDown)
    event.writeUInt32BE(keysym, 4)
    this.#io.send(event)
  }

  type(text: string): void {
    for (const character of text) {
      const point = character.codePointAt(0) ?? 0
      const keysym = point === 10 ? 0xff_0d : point < 0x1_00 ? point : 0x01_00_00_00 + point
      for (const isDown of [true, false]) this.key(keysym, isDown)
    }
  }

  /** Presses keys together. */
  press(...keysyms: number[]): void {
    for (const keysym of keysyms) this.key(keysym, true)
    for (const keysym of keysyms.toReversed()) this.key(keysym, false)
  }

  point(x: number, y: number, buttons = 0): void {
    const event = Buffer.alloc(6)
    event[0] = 5
    event[1] = buttons
    event.writeUInt16BE(x, 2)
    event.writeUInt16BE(y, 4)
    this.#io.send(event)
  }

  /** Copies a text here: the machine is notified and requests it. */
  copy(text: string): void {
    this.#own = text
    this.#sendClipboard(CLIPBOARD.notify | CLIPBOARD.text, Buffer.alloc(0))
  }

  /** Handles the next message. Returns its type: 0 = a picture, 3 = the clipboard. */
  async receive(): Promise<number> {
    const { take } = this.#io
    const type = (await take(1)).readUInt8()
    if (type === 3) await this.#receiveClipboard()
    else if (type !== 0) throw new Error(`unexpected message ${type}`)
    else {
      const head = await take(3)
      for (let left = head.readUInt16BE(1); left > 0; left -= 1) await this.#receiveRectangle()
    }
    return type
  }

  /** Receives until a picture is drawn. */
  async see(options: { incremental: boolean }): Promise<void> {
    this.requestPicture(options)
    while ((await this.receive()) !== 0);
  }

  colourAt(x: number, y: number): number {
    return this.pixels[y * this.width + x] ?? -1
  }

  #resize(width: number, height: number): void {
    this.width = width
    this.height = height
    this.pixels = new Uint32Array(width * height)
  }

  async #receiveRectangle(): Promise<void> {
    const { take } = this.#io
    const head = await take(12)
    const area = [0, 2, 4, 6].map((at) => head.readUInt16BE(at))
    const [x = 0, y = 0, width = 0, height = 0] = area
    switch (head.readInt32BE(8)) {
      case ENCODING.size:
        return this.#resize(width, height)
      case ENCODING.cursor: {
        const bytes = await take(width * height * 4 + Math.ceil(width / 8) * height)
        this.cursor = { width, height, hotX: x, hotY: y, bytes }
        return undefined
      }
      case ENCODING.alphaCursor: {
        const bytes = (await take(2 + width * height * 4)).subarray(2)
        this.cursor = { width, height, hotX: x, hotY: y, bytes }
        return undefined
      }
      case ENCODING.raw: {
        const bytes = await take(width * height * 4)
        this.drawn.raw += 1
        return this.#draw({ x, y, width, height }, (index) => bytes.readUIntBE(index * 4, 3))
      }
      case ENCODING.tight:
        return this.#receiveTight({ x, y, width, height })
      default:
        throw new Error(`unexpected encoding ${head.readInt32BE(8)}`)
    }
  }

  async #receiveTight(area: { x: number; y: number; width: number; height: number }): Promise<void> {
    const { take } = this.#io
    const control = (await take(1)).readUInt8()
    const size = area.width * area.height
    if (control === 0x80) {
      const colour = (await take(3)).readUIntBE(0, 3)
      this.drawn.fill += 1
      return this.#draw(area, () => colour)
    }
    if (control === 0x90) {
      this.jpegs.push(await take(await this.#readLength()))
      this.drawn.jpeg += 1
      return undefined
    }
    // Every stream must start again, as there is no state of earlier ones here.
    if ((control & 1) !== 1) throw new Error(`unexpected control byte ${control}`)
    if ((control & 0x40) === 0) {
      const bytes = await this.#inflate(size * 3)
      this.drawn.copy += 1
      return this.#draw(area, (index) => bytes.readUIntBE(index * 3, 3))
    }
    if ((await take(1)).readUInt8() !== 1) throw new Error('only the palette filter is known')
    const count = (await take(1)).readUInt8() + 1
    const colours = await take(count * 3)
    this.drawn.palette += 1
    const rowBytes = count === 2 ? Math.ceil(area.width / 8) : area.width
    const indexes = await this.#inflate(rowBytes * area.height)
    return this.#draw(area, (index) => {
      const [column, row] = [index % area.width, Math.floor(index / area.width)]
      const byte = indexes[row * rowBytes + (count === 2 ? column >> 3 : column)] ?? 0
      return colours.readUIntBE(3 * (count === 2 ? (byte >> (7 - (column & 7))) & 1 : byte), 3)
    })
  }

  async #readLength(): Promise<number> {
    let length = 0
    for (let shift = 0; shift <= 14; shift += 7) {
      const byte = (await this.#io.take(1)).readUInt8()
      length |= (shift === 14 ? byte : byte & 0x7f) << shift
      if ((byte & 0x80) === 0) break
    }
    return length
  }

  async #inflate(size: number): Promise<Buffer> {
    if (size < 12) return this.#io.take(size)
    const bytes = inflateSync(await this.#io.take(await this.#readLength()), {
      finishFlush: constants.Z_SYNC_FLUSH,
    })
    if (bytes.length !== size) throw new Error(`${bytes.length} bytes instead of ${size}`)
    return bytes
  }

  #draw(
    { x, y, width, height }: { x: number; y: number; width: number; height: number },
    colourOf: (index: number) => number,
  ): void {
    for (let index = 0; index < width * height; index += 1)
      this.pixels[(y + Math.floor(index / width)) * this.width + x + (index % width)] = colourOf(index)
  }

  async #receiveClipboard(): Promise<void> {
    const { take } = this.#io
    const length = (await take(7)).readInt32BE(3)
    if (length >= 0) return void this.copied.push((await take(length)).toString('latin1'))
    const body = await take(-length)
    const flags = body.readUInt32BE()
    if (flags === (CLIPBOARD.notify | CLIPBOARD.text))
      return this.#sendClipboard(CLIPBOARD.request | CLIPBOARD.text, Buffer.alloc(0))
    if (flags === (CLIPBOARD.provide | CLIPBOARD.text)) {
      const bytes = inflateSync(body.subarray(4))
      return void this.copied.push(bytes.toString('utf8', 4, 3 + bytes.readUInt32BE()))
    }
    if (flags !== (CLIPBOARD.request | CLIPBOARD.text) || this.#own === undefined) return undefined
    this.provided += 1
    const text = Buffer.from(`${this.#own}\0`)
    const size = Buffer.alloc(4)
    size.writeUInt32BE(text.length)
    return this.#sendClipboard(CLIPBOARD.provide | CLIPBOARD.text, deflateSync(Buffer.concat([size, text])))
  }

  #sendClipboard(flags: number, payload: Buffer): void {
    const head = Buffer.alloc(12)
    head[0] = 6
    head.writeInt32BE(-(4 + payload.length), 4)
    head.writeUInt32BE(flags, 8)
    this.#io.send(Buffer.concat([head, payload]))
  }
}
