import { type FileHandle, open, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { Secrets } from '../secrets/secrets.ts'

const compress = promisify(deflateRaw)
const extract = promisify(inflateRaw)
const LENGTH_BYTES = 4
/** A piece is text of its writer; what says it is longer than this is damaged. */
const MOST_PIECE_BYTES = 16 * 1024 * 1024

interface Seal {
  secrets: Secrets
  /** What the file is: its pieces can be read as this only, and in their order. */
  about: string
}

/** A file that grows by pieces of text, each compressed and sealed: a process that is killed loses the last one. */
export class SealedFile implements AsyncDisposable {
  #file: FileHandle
  #seal: Seal
  #pieces = 0
  #bytes = 0

  private constructor(file: FileHandle, seal: Seal) {
    this.#file = file
    this.#seal = seal
  }

  /** Throws where the file exists or cannot be made. */
  static async create(path: string, seal: Seal): Promise<SealedFile> {
    return new SealedFile(await open(path, 'ax', 0o600), seal)
  }

  /** On disk, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** One at a time. */
  async append(text: string): Promise<void> {
    const { secrets, about } = this.#seal
    const sealed = secrets.seal(await compress(text), `${about} ${this.#pieces}`)
    const length = Buffer.alloc(LENGTH_BYTES)
    length.writeUInt32BE(sealed.length)
    await this.#file.appendFile(Buffer.concat([length, sealed]))
    this.#pieces += 1
    this.#bytes += LENGTH_BYTES + sealed.length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }
}

/**
 * The pieces, each to be opened by whom wants it, which throws where one was changed. A last one that was not written
 * whole is left out.
 */
export async function readSealedFile(
  path: string,
  { secrets, about }: Seal,
): Promise<(() => Promise<string>)[]> {
  const bytes = await readFile(path)
  const pieces: (() => Promise<string>)[] = []
  for (let at = 0; at + LENGTH_BYTES <= bytes.length;) {
    const length = bytes.readUInt32BE(at)
    const sealed = bytes.subarray(at + LENGTH_BYTES, at + LENGTH_BYTES + length)
    at += LENGTH_BYTES + length
    if (sealed.length < length) break
    const number = pieces.length
    pieces.push(async () => {
      const compressed = secrets.open(sealed, `${about} ${number}`)
      return (await extract(compressed, { maxOutputLength: MOST_PIECE_BYTES })).toString('utf8')
    })
  }
  return pieces
}
