import { createHash } from 'node:crypto'

/** A value of a column on either engine. */
export type Value = null | number | string | Uint8Array

const NULL = 0
const NUMBER = 1
const TEXT = 2
const BYTES = 3

const NUMBER_BYTES = 9
const LENGTH_BYTES = 5

/** Encodes one row, equally on both engines. Throws a TypeError for a value of another type. */
export function encodeRow(values: readonly unknown[]): Buffer {
  return Buffer.concat(values.map(encodeValue))
}

function encodeValue(value: unknown): Buffer {
  if (value === null) return Buffer.of(NULL)
  if (typeof value === 'number') {
    const encoded = Buffer.alloc(NUMBER_BYTES, NUMBER)
    // Minus zero becomes zero, as in an integer column.
    encoded.writeDoubleBE(value + 0, 1)
    return encoded
  }
  if (typeof value === 'string') return withLength(TEXT, Buffer.from(value))
  if (value instanceof Uint8Array) return withLength(BYTES, value)
  throw new TypeError(`a value of type ${typeof value} cannot be stored`)
}

function withLength(tag: number, bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(LENGTH_BYTES, tag)
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

/** Decodes rows of `width` values each. Throws if the bytes are not whole rows. */
export function* decodeRows(bytes: Buffer, width: number): Generator<{ values: Value[]; encoded: Buffer }> {
  for (let at = 0; at < bytes.length;) {
    const from = at
    const values: Value[] = []
    for (let index = 0; index < width; index += 1) {
      const tag = bytes.readUInt8(at)
      if (tag === NULL) {
        values.push(null)
        at += 1
      } else if (tag === NUMBER) {
        values.push(bytes.readDoubleBE(at + 1))
        at += NUMBER_BYTES
      } else if (tag === TEXT || tag === BYTES) {
        const start = at + LENGTH_BYTES
        at = start + bytes.readUInt32BE(at + 1)
        if (at > bytes.length) throw new RangeError('a row ends too early')
        const content = bytes.subarray(start, at)
        values.push(tag === TEXT ? content.toString('utf8') : content)
      } else throw new RangeError(`unknown type of value: ${tag}`)
    }
    // A table without columns would never end.
    if (at === from) throw new RangeError('a row without values')
    yield { values, encoded: bytes.subarray(from, at) }
  }
}

/** Number and hash of rows in any order: engines sort text differently. */
export class RowHash {
  #count = 0
  #sum = new Uint32Array(8)

  add(encoded: Buffer): void {
    this.#count += 1
    const digest = createHash('sha256').update(encoded).digest()
    for (let word = 0; word < this.#sum.length; word += 1) {
      // The array keeps 32 bits.
      this.#sum[word] = (this.#sum[word] ?? 0) + digest.readUInt32BE(word * 4)
    }
  }

  get count(): number {
    return this.#count
  }

  get hex(): string {
    return [...this.#sum].map((word) => word.toString(16).padStart(8, '0')).join('')
  }
}
