const TEXT_BYTES = 4096

/** A buffer as Windows fills it: texts stand behind the structures, and pointers lead to them. */
export class GivenStructure {
  readonly address = 0x7ff0_0000_1000n
  readonly buffer: Buffer
  #end: number

  constructor(bytes: number) {
    this.buffer = Buffer.alloc(bytes + TEXT_BYTES)
    this.#end = bytes
  }

  number(offset: number, value: number): this {
    this.buffer.writeUInt32LE(value >>> 0, offset)
    return this
  }

  large(offset: number, value: bigint): this {
    this.buffer.writeBigUInt64LE(BigInt.asUintN(64, value), offset)
    return this
  }

  /** Text in the structure itself, with a terminator. */
  text(offset: number, text: string): this {
    this.buffer.write(`${text}\0`, offset, 'utf16le')
    return this
  }

  /** A pointer to text. */
  pointer(offset: number, text: string): this {
    this.large(offset, this.address + BigInt(this.#end))
    this.text(this.#end, text)
    this.#end += (text.length + 1) * 2
    return this
  }
}
