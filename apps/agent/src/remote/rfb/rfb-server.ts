import type { Duplex } from 'node:stream'
import { ShownPicture, TILE } from './changed-tiles.ts'
import {
  type ClientMessage,
  OWN_FORMAT,
  type PixelFormat,
  readClientMessage,
  RfbError,
} from './client-messages.ts'
import {
  clipboardCapabilities,
  cutText,
  EXTENDED_CLIPBOARD,
  notifyClipboard,
  provideClipboard,
  readClipboard,
  requestClipboard,
} from './clipboard-messages.ts'
import {
  ALPHA_CURSOR,
  CURSOR,
  cursorRectangle,
  rawRectangle,
  sizeRectangle,
  updateMessage,
} from './rectangles.ts'
import type { EncodeJpeg, ScreenClipboard, ScreenCursor, ScreenInput, ScreenSource } from './screen-source.ts'
import { encodeTiles, TIGHT } from './tight.ts'

const VERSION = 'RFB 003.008\n'
const NO_PASSWORD = 1
const MIN_INTERVAL_MS = 1000 / 30
/** A key is visible as soon as the program has drawn it, which takes a moment. */
const AFTER_INPUT_MS = 12
/** A screen without changes for this long is read in parts: the whole would cost a fifth of a processor. */
const QUIET_AFTER_MS = 1000
const QUIET_INTERVAL_MS = 300
/** More pictures in a row than a blinking caret makes: something small moves. */
const MOVES_AFTER = 3
/** For a screen that cannot be read, such as one that is being switched. */
const RETRY_INTERVAL_MS = 500
/** Parts of a quiet screen: one is read each time. */
const QUIET_PARTS = 8
/** Rows that changed lately are read each time too: a blinking caret keeps a screen quiet. */
const MAX_BUSY_ROWS = 2
const SMALL_CHANGE_TILES = 2
const LOWEST_QUALITY = -32
const HIGHEST_QUALITY = -23

export interface RfbServerOptions {
  screen: ScreenSource
  input: ScreenInput
  clipboard: ScreenClipboard
  /** Undefined = no losses. */
  encodeJpeg: EncodeJpeg | undefined
  /** Name of the machine. */
  name: string
  /** Receives the reason when the screen cannot be read, once, and when the client does something unsupported. */
  onTrouble: (cause: unknown) => void
}

/**
 * Shows a screen to one client by RFB 3.8 without a password: the stream must be private. Source: RFC 6143.
 *
 * A client requests each picture, so a slow one gets fewer pictures, and nothing queues up. A request without changes
 * waits until something changes.
 */
export class RfbServer implements Disposable {
  #stream: Duplex
  #options: RfbServerOptions
  #received = Buffer.alloc(0)
  #step: 'version' | 'security' | 'init' | 'messages' = 'version'
  #format: PixelFormat = OWN_FORMAT
  #encodings = new Set<number>()
  #shown: ShownPicture
  /** Tiles that the client needs, by number. */
  #changed = new Set<number>()
  #isRequested = false
  #cursor: ScreenCursor | 'unknown' | undefined = 'unknown'
  #clipboardText: string | undefined
  #timer: NodeJS.Timeout | undefined
  #lastCaptureMs = 0
  #lastChangeMs = 0
  #activity = ''
  #quietPart = 0
  #sentInARow = 0
  /** When each row of tiles last changed, the newest last. */
  #rowChanges = new Map<number, number>()
  #hasTrouble = false
  #isOver = false

  constructor(stream: Duplex, options: RfbServerOptions) {
    this.#stream = stream
    this.#options = options
    this.#shown = new ShownPicture(options.screen.readSize())
    stream.on('data', (bytes: Buffer) => this.#take(bytes))
    stream.on('drain', () => this.#schedule(0))
    stream.once('close', () => this[Symbol.dispose]())
    stream.write(VERSION)
  }

  [Symbol.dispose](): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#options.input.releaseAll()
  }

  #take(bytes: Buffer): void {
    if (this.#isOver) return
    this.#received = Buffer.concat([this.#received, bytes])
    try {
      while (this.#takeNext());
    } catch (cause) {
      this.#stream.destroy()
      if (!(cause instanceof RfbError)) throw cause
      this.#options.onTrouble(cause)
    }
  }

  #takeNext(): boolean {
    if (this.#step !== 'messages') return this.#takeHandshake()
    const next = readClientMessage(this.#received)
    if (next === undefined) return false
    this.#received = this.#received.subarray(next.length)
    this.#obey(next.message)
    return true
  }

  #takeHandshake(): boolean {
    const length = this.#step === 'version' ? VERSION.length : 1
    if (this.#received.length < length) return false
    const bytes = this.#received.subarray(0, length)
    this.#received = this.#received.subarray(length)
    switch (this.#step) {
      case 'version':
        if (bytes.toString('latin1') !== VERSION) throw new RfbError('only RFB 3.8 is supported')
        this.#stream.write(Buffer.from([1, NO_PASSWORD]))
        this.#step = 'security'
        break
      case 'security':
        if (bytes[0] !== NO_PASSWORD) throw new RfbError('the client requests another sign-in')
        this.#stream.write(Buffer.alloc(4))
        this.#step = 'init'
        break
      default:
        this.#stream.write(this.#describeScreen())
        this.#step = 'messages'
    }
    return true
  }

  #describeScreen(): Buffer {
    const name = Buffer.from(this.#options.name)
    const init = Buffer.alloc(24)
    init.writeUInt16BE(this.#shown.width, 0)
    init.writeUInt16BE(this.#shown.height, 2)
    // 32 bits, of which 24 are colour, the lowest byte first; 255 shades each; red, green and blue at bit 16, 8 and 0.
    init.set([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0], 4)
    init.writeUInt32BE(name.length, 20)
    return Buffer.concat([init, name])
  }

  #obey(message: ClientMessage): void {
    const { input, clipboard } = this.#options
    switch (message.type) {
      case 'pixel-format':
        this.#format = message.format
        return
      case 'encodings':
        this.#encodings = new Set(message.encodings)
        this.#cursor = 'unknown'
        if (this.#encodings.has(EXTENDED_CLIPBOARD)) this.#stream.write(clipboardCapabilities())
        return
      case 'update-request':
        if (!message.incremental) this.#markAll()
        this.#isRequested = true
        return this.#schedule(0)
      case 'key':
        if (message.isDown) input.press(message.keysym)
        else input.release(message.keysym)
        return this.#expectChange()
      case 'pointer':
        input.point(message.x, message.y, message.buttons)
        return this.#expectChange()
      case 'cut-text':
        clipboard.write(message.text)
        return
      case 'clipboard':
        this.#obeyClipboard(message)
    }
  }

  #obeyClipboard({ flags, payload }: { flags: number; payload: Buffer }): void {
    const message = readClipboard(flags, payload)
    const text = this.#clipboardText
    if (message.type === 'text') this.#options.clipboard.write(message.text)
    else if (message.type === 'has-text') this.#stream.write(requestClipboard())
    else if (message.type === 'peek') this.#stream.write(notifyClipboard(text !== undefined))
    else if (message.type === 'request' && text !== undefined) this.#stream.write(provideClipboard(text))
  }

  #markAll(): void {
    const { columns, rows } = this.#shown
    for (let tile = 0; tile < columns * rows; tile += 1) this.#changed.add(tile)
    this.#lastChangeMs = performance.now()
  }

  #expectChange(): void {
    this.#lastChangeMs = performance.now()
    this.#schedule(AFTER_INPUT_MS)
  }

  /** The next picture is at least this far away, and not too soon after the last one: less often on a quiet screen. */
  #schedule(delayMs: number): void {
    clearTimeout(this.#timer)
    if (!this.#isRequested || this.#isOver || this.#stream.writableNeedDrain) return
    const now = performance.now()
    const isQuiet = now - this.#lastChangeMs > QUIET_AFTER_MS && this.#sentInARow < MOVES_AFTER
    const leastMs = this.#lastCaptureMs + (isQuiet ? QUIET_INTERVAL_MS : MIN_INTERVAL_MS) - now
    this.#timer = setTimeout(() => this.#look(), Math.max(delayMs, leastMs, 0))
  }

  #look(): void {
    try {
      this.#sendClipboard()
      const isSent = this.#sendPicture()
      this.#hasTrouble = false
      this.#sentInARow = isSent ? this.#sentInARow + 1 : 0
      if (!isSent) this.#schedule(0)
    } catch (cause) {
      if (!this.#hasTrouble) this.#options.onTrouble(cause)
      this.#hasTrouble = true
      this.#schedule(RETRY_INTERVAL_MS)
    }
  }

  #isQuiet(): boolean {
    const activity = this.#options.screen.readActivity()
    if (activity !== this.#activity) this.#lastChangeMs = performance.now()
    this.#activity = activity
    return performance.now() - this.#lastChangeMs > QUIET_AFTER_MS
  }

  /** Returns false if there is nothing to send. */
  #sendPicture(): boolean {
    this.#lastCaptureMs = performance.now()
    const rectangles = this.#followSize() ?? this.#findRectangles()
    if (rectangles.length === 0) return false
    this.#isRequested = false
    this.#stream.write(updateMessage(rectangles))
    return true
  }

  /** Pictures of a new size follow with the next request. */
  #followSize() {
    const size = this.#options.screen.readSize()
    if (size.width === this.#shown.width && size.height === this.#shown.height) return undefined
    this.#shown = new ShownPicture(size)
    this.#changed.clear()
    this.#rowChanges.clear()
    this.#markAll()
    return [sizeRectangle(size)]
  }

  #findRectangles() {
    this.#findChanges()
    return [...this.#encodeCursor(), ...this.#encodeChanges()]
  }

  #findChanges(): void {
    const { screen } = this.#options
    const now = performance.now()
    let count = 0
    for (const rows of this.#chooseRows(now)) {
      const from = rows[0] * TILE
      const picture = screen.capture({ from, count: Math.min(rows[1] * TILE, this.#shown.height) - from })
      for (const tile of this.#shown.update(picture, rows)) {
        const row = Math.floor(tile / this.#shown.columns)
        this.#changed.add(tile)
        this.#rowChanges.delete(row)
        this.#rowChanges.set(row, now)
        count += 1
      }
    }
    if (count > SMALL_CHANGE_TILES) this.#lastChangeMs = now
  }

  /** Rows of tiles to read, as first and after the last: all of them, or those of a quiet screen. */
  #chooseRows(now: number): [first: number, after: number][] {
    const { rows } = this.#shown
    if (!this.#isQuiet()) return [[0, rows]]
    const size = Math.ceil(rows / QUIET_PARTS)
    this.#quietPart = (this.#quietPart + 1) % Math.ceil(rows / size)
    const first = this.#quietPart * size
    const after = Math.min(first + size, rows)
    const busy = [...this.#rowChanges].filter(
      ([row, atMs]) => now - atMs < QUIET_AFTER_MS && (row < first || row >= after),
    )
    return [[first, after], ...busy.slice(-MAX_BUSY_ROWS).map(([row]): [number, number] => [row, row + 1])]
  }

  #encodeChanges() {
    const tiles = [...this.#changed]
    this.#changed.clear()
    const picture = this.#shown
    if (!this.#encodings.has(TIGHT))
      return tiles.map((tile) => {
        const area = picture.areaOf(tile % picture.columns, Math.floor(tile / picture.columns))
        return rawRectangle(picture, area, this.#format)
      })
    return encodeTiles(picture, tiles, { level: 1, jpeg: this.#chooseJpeg() }).map((rectangle) => ({
      ...rectangle,
      encoding: TIGHT,
    }))
  }

  /** A client that states no quality wants no losses. */
  #chooseJpeg() {
    const encode = this.#options.encodeJpeg
    const level = [...this.#encodings].find(
      (encoding) => encoding >= LOWEST_QUALITY && encoding <= HIGHEST_QUALITY,
    )
    if (encode === undefined || level === undefined) return undefined
    return { encode, quality: 20 + (level - LOWEST_QUALITY) * 8 }
  }

  #encodeCursor() {
    const format = this.#encodings.has(ALPHA_CURSOR) ? 'alpha' : this.#format
    if (format !== 'alpha' && !this.#encodings.has(CURSOR)) return []
    const cursor = this.#options.screen.readCursor()
    if (cursor === this.#cursor) return []
    this.#cursor = cursor
    return [cursorRectangle(cursor, format)]
  }

  #sendClipboard(): void {
    const text = this.#options.clipboard.readCopied()
    if (text === undefined) return
    this.#clipboardText = text
    this.#stream.write(this.#encodings.has(EXTENDED_CLIPBOARD) ? notifyClipboard(true) : cutText(text))
  }
}
