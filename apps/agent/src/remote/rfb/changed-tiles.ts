import type { Area, ScreenPicture } from './screen-source.ts'

export const TILE = 64
/** Tight allows no wider rectangles. */
const MAX_COLUMNS = 2048 / TILE

/** The last picture that a client has, in tiles. */
export class ShownPicture implements ScreenPicture {
  readonly width: number
  readonly height: number
  readonly pixels: Uint32Array
  readonly columns: number
  readonly rows: number
  #bytes: Buffer

  constructor({ width, height }: { width: number; height: number }) {
    this.width = width
    this.height = height
    this.pixels = new Uint32Array(width * height)
    this.columns = Math.ceil(width / TILE)
    this.rows = Math.ceil(height / TILE)
    this.#bytes = Buffer.from(this.pixels.buffer)
  }

  /** Copies what has changed in a picture of the same size. Returns the numbers of the changed tiles. */
  update({ pixels }: ScreenPicture, [first, last] = [0, this.rows]): number[] {
    const changed: number[] = []
    const bytes = Buffer.from(pixels.buffer, pixels.byteOffset, pixels.byteLength)
    for (let row = first; row < last; row += 1) {
      const from = row * TILE * this.width * 4
      const to = Math.min((row + 1) * TILE, this.height) * this.width * 4
      // Most bands are the same: this compares them at the speed of memory.
      if (bytes.compare(this.#bytes, from, to, from, to) === 0) continue
      for (let column = 0; column < this.columns; column += 1)
        if (this.#updateTile(pixels, this.areaOf(column, row))) changed.push(row * this.columns + column)
    }
    return changed
  }

  areaOf(column: number, row: number, columns = 1, rows = 1): Area {
    const [x, y] = [column * TILE, row * TILE]
    return {
      x,
      y,
      width: Math.min(columns * TILE, this.width - x),
      height: Math.min(rows * TILE, this.height - y),
    }
  }

  #updateTile(pixels: Uint32Array, { x, y, width, height }: Area): boolean {
    const shown = this.pixels
    for (let line = y; line < y + height; line += 1) {
      const from = line * this.width + x
      for (let at = from; at < from + width; at += 1) {
        if (pixels[at] === shown[at]) continue
        for (let rest = line; rest < y + height; rest += 1) {
          const start = rest * this.width + x
          shown.set(pixels.subarray(start, start + width), start)
        }
        return true
      }
    }
    return false
  }
}

export interface TileGroup<Kind> {
  kind: Kind
  area: Area
}

/** Joins neighbouring tiles of one kind to rectangles. */
export function joinTiles<Kind>(picture: ShownPicture, kinds: Map<number, Kind>): TileGroup<Kind>[] {
  const groups: TileGroup<Kind>[] = []
  const { columns, rows } = picture
  const left = new Map(kinds)
  for (const [tile, kind] of kinds) {
    if (!left.has(tile)) continue
    const [column, row] = [tile % columns, Math.floor(tile / columns)]
    const mayJoin = (other: number) => left.has(other) && left.get(other) === kind
    let wide = 1
    while (column + wide < columns && wide < MAX_COLUMNS && mayJoin(tile + wide)) wide += 1
    let high = 1
    while (row + high < rows && isFull(tile + high * columns, wide, mayJoin)) high += 1
    for (let down = 0; down < high; down += 1)
      for (let right = 0; right < wide; right += 1) left.delete(tile + down * columns + right)
    groups.push({ kind, area: picture.areaOf(column, row, wide, high) })
  }
  return groups
}

function isFull(first: number, count: number, mayJoin: (tile: number) => boolean): boolean {
  for (let tile = first; tile < first + count; tile += 1) if (!mayJoin(tile)) return false
  return true
}
