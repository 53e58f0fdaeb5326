import type { PixelFormat } from './client-messages.ts'
import type { Area, ScreenCursor, ScreenPicture } from './screen-source.ts'
import type { Rectangle } from './tight.ts'

export const RAW = 0
const DESKTOP_SIZE = -223
export const CURSOR = -239
export const ALPHA_CURSOR = 0x57_4d_56_64
/** Type of an alpha cursor. Source: VMware's cursor encoding. */
const WITH_ALPHA = 1

/** FramebufferUpdate: all rectangles of one picture. Source: RFC 6143, section 7.6.1. */
export function updateMessage(rectangles: readonly (Rectangle & { encoding: number })[]): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16BE(rectangles.length, 2)
  return Buffer.concat([
    head,
    ...rectangles.flatMap(({ area, encoding, body }) => [rectangleHead(area, encoding), body]),
  ])
}

function rectangleHead({ x, y, width, height }: Area, encoding: number): Buffer {
  const head = Buffer.alloc(12)
  for (const [index, value] of [x, y, width, height].entries()) head.writeUInt16BE(value, 2 * index)
  head.writeInt32BE(encoding, 8)
  return head
}

export function rawRectangle(picture: ScreenPicture, area: Area, format: PixelFormat) {
  const body = Buffer.alloc(area.width * area.height * 4)
  for (let line = 0; line < area.height; line += 1) {
    const from = (area.y + line) * picture.width + area.x
    writePixels(
      picture.pixels.subarray(from, from + area.width),
      format,
      body.subarray(line * area.width * 4),
    )
  }
  return { area, encoding: RAW, body }
}

export function sizeRectangle({ width, height }: { width: number; height: number }) {
  return { area: { x: 0, y: 0, width, height }, encoding: DESKTOP_SIZE, body: Buffer.alloc(0) }
}

/** An undefined cursor is hidden. */
export function cursorRectangle(cursor: ScreenCursor | undefined, format: PixelFormat | 'alpha') {
  const { width = 0, height = 0, hotX: x = 0, hotY: y = 0, pixels = new Uint32Array() } = cursor ?? {}
  const area = { x, y, width, height }
  if (format !== 'alpha')
    return { area, encoding: CURSOR, body: maskedCursor({ width, height, pixels }, format) }
  const body = Buffer.alloc(2 + pixels.length * 4)
  body[0] = WITH_ALPHA
  // Red, green, blue, alpha.
  for (const [index, pixel] of pixels.entries())
    body.writeUInt32BE(((pixel << 8) | (pixel >>> 24)) >>> 0, 2 + 4 * index)
  return { area, encoding: ALPHA_CURSOR, body }
}

function maskedCursor({ width, height, pixels }: ScreenPicture, format: PixelFormat): Buffer {
  const rowBytes = Math.ceil(width / 8)
  const body = Buffer.alloc(pixels.length * 4 + rowBytes * height)
  writePixels(pixels, format, body)
  for (const [index, pixel] of pixels.entries()) {
    if (pixel >>> 31 === 0) continue
    const column = index % width
    const at = pixels.length * 4 + Math.floor(index / width) * rowBytes + (column >> 3)
    body[at] = (body[at] ?? 0) | (0x80 >> (column & 7))
  }
  return body
}

function writePixels(pixels: Uint32Array, { red, green, blue }: PixelFormat, to: Buffer): void {
  let at = 0
  for (const pixel of pixels) {
    to[at + red] = pixel >> 16
    to[at + green] = pixel >> 8
    to[at + blue] = pixel
    at += 4
  }
}
