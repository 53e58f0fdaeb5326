import { deflateSync } from 'node:zlib'
import { joinTiles, type ShownPicture } from './changed-tiles.ts'
import type { Area, EncodeJpeg, ScreenPicture } from './screen-source.ts'

export const TIGHT = 7

/** Control bytes. Source: RFB protocol, "Tight Encoding". Each rectangle starts its zlib stream again. */
const FILL = 0x80
const JPEG = 0x90
const RESET_STREAM = 0x01
const WITH_FILTER = 0x40
const PALETTE_FILTER = 1
/** Shorter data is not compressed. */
const MIN_COMPRESSED_BYTES = 12
const MAX_COLOURS = 256
const COLOUR = 0xff_ff_ff

export interface TightOptions {
  /** Level of zlib. */
  level: number
  /** Undefined = everything without loss. */
  jpeg: { encode: EncodeJpeg; quality: number } | undefined
}

export interface Rectangle {
  area: Area
  body: Buffer
}

/** Many colours are those of photos and gradients. A number is the only colour of a tile. */
type TileKind = number | 'few' | 'many'

/** Encodes changed tiles of a picture: tiles of one colour, of few and of many separately. */
export function encodeTiles(
  picture: ShownPicture,
  tiles: readonly number[],
  options: TightOptions,
): Rectangle[] {
  const palette = new Palette()
  const kinds = new Map<number, TileKind>()
  for (const tile of tiles) {
    const area = picture.areaOf(tile % picture.columns, Math.floor(tile / picture.columns))
    kinds.set(tile, classify(picture, area, palette))
  }
  return joinTiles(picture, kinds).map(({ kind, area }) => ({
    area,
    body: encodeArea(picture, { area, kind, palette, options }),
  }))
}

function classify(picture: ScreenPicture, area: Area, palette: Palette): TileKind {
  if (!palette.collect(picture, area)) return 'many'
  return palette.count === 1 ? (palette.colours[0] ?? 0) : 'few'
}

function encodeArea(
  picture: ScreenPicture,
  { area, kind, palette, options }: { area: Area; kind: TileKind; palette: Palette; options: TightOptions },
): Buffer {
  const { level, jpeg } = options
  if (typeof kind === 'number') return Buffer.from([FILL, kind >> 16, (kind >> 8) & 0xff, kind & 0xff])
  if (kind === 'many' && jpeg !== undefined) {
    const bytes = jpeg.encode(picture, area, jpeg.quality)
    return Buffer.concat([Buffer.from([JPEG]), compactLength(bytes.length), bytes])
  }
  // Tiles of few colours have many together, now and then.
  if (kind === 'few' && palette.collect(picture, area))
    return encodePalette(picture, area, { palette, level })
  return Buffer.concat([Buffer.from([RESET_STREAM]), compress(readColours(picture, area), level)])
}

function encodePalette(
  picture: ScreenPicture,
  area: Area,
  { palette, level }: { palette: Palette; level: number },
): Buffer {
  const { count } = palette
  const head = Buffer.alloc(3 + 3 * count)
  head.set([RESET_STREAM | WITH_FILTER, PALETTE_FILTER, count - 1])
  for (let index = 0; index < count; index += 1)
    head.writeUIntBE(palette.colours[index] ?? 0, 3 + 3 * index, 3)
  const indexes = count === 2 ? readBits(picture, area, palette) : readIndexes(picture, area, palette)
  return Buffer.concat([head, compress(indexes, level)])
}

function readColours({ width, pixels }: ScreenPicture, area: Area): Buffer {
  const bytes = Buffer.allocUnsafe(area.width * area.height * 3)
  let to = 0
  for (let line = area.y; line < area.y + area.height; line += 1) {
    const from = line * width + area.x
    for (let at = from; at < from + area.width; at += 1) {
      const pixel = pixels[at] ?? 0
      bytes[to] = pixel >> 16
      bytes[to + 1] = pixel >> 8
      bytes[to + 2] = pixel
      to += 3
    }
  }
  return bytes
}

function readIndexes({ width, pixels }: ScreenPicture, area: Area, palette: Palette): Buffer {
  const bytes = Buffer.allocUnsafe(area.width * area.height)
  let to = 0
  for (let line = area.y; line < area.y + area.height; line += 1) {
    const from = line * width + area.x
    for (let at = from; at < from + area.width; at += 1) {
      bytes[to] = palette.indexOf((pixels[at] ?? 0) & COLOUR)
      to += 1
    }
  }
  return bytes
}

/** One bit for each pixel, the highest first; rows are filled up to whole bytes. */
function readBits({ width, pixels }: ScreenPicture, area: Area, palette: Palette): Buffer {
  const rowBytes = Math.ceil(area.width / 8)
  const bytes = Buffer.alloc(rowBytes * area.height)
  const [first] = palette.colours
  for (let line = 0; line < area.height; line += 1) {
    const from = (area.y + line) * width + area.x
    for (let at = 0; at < area.width; at += 1) {
      if (((pixels[from + at] ?? 0) & COLOUR) === first) continue
      const to = line * rowBytes + (at >> 3)
      bytes[to] = (bytes[to] ?? 0) | (0x80 >> (at & 7))
    }
  }
  return bytes
}

function compress(bytes: Buffer, level: number): Buffer {
  if (bytes.length < MIN_COMPRESSED_BYTES) return bytes
  const compressed = deflateSync(bytes, { level })
  return Buffer.concat([compactLength(compressed.length), compressed])
}

/** One to three bytes, of seven bits each, the lowest first. */
function compactLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  if (length < 0x40_00) return Buffer.from([(length & 0x7f) | 0x80, length >> 7])
  return Buffer.from([(length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14])
}

const SLOTS = 1024

/** Up to 256 colours and their indexes, in a hash table that is reused. */
class Palette {
  readonly colours = new Uint32Array(MAX_COLOURS)
  count = 0
  #keys = new Int32Array(SLOTS)
  #indexes = new Uint8Array(SLOTS)

  /** Collects the colours of an area. Returns false if there are too many. */
  collect({ width, pixels }: ScreenPicture, area: Area): boolean {
    this.#keys.fill(-1)
    this.count = 0
    let last = -1
    for (let line = area.y; line < area.y + area.height; line += 1) {
      const from = line * width + area.x
      for (let at = from; at < from + area.width; at += 1) {
        const colour = (pixels[at] ?? 0) & COLOUR
        if (colour === last) continue
        last = colour
        if (!this.#add(colour)) return false
      }
    }
    return true
  }

  indexOf(colour: number): number {
    return this.#indexes[this.#slotOf(colour)] ?? 0
  }

  #add(colour: number): boolean {
    const slot = this.#slotOf(colour)
    if (this.#keys[slot] === colour) return true
    if (this.count === MAX_COLOURS) return false
    this.#keys[slot] = colour
    this.#indexes[slot] = this.count
    this.colours[this.count] = colour
    this.count += 1
    return true
  }

  #slotOf(colour: number): number {
    let slot = (Math.imul(colour, 0x9e_37_79_b1) >>> 22) % SLOTS
    while (this.#keys[slot] !== colour && this.#keys[slot] !== -1) slot = (slot + 1) % SLOTS
    return slot
  }
}
