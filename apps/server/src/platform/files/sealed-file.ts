import { type FileHandle, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { Secrets } from '../secrets/secrets.ts'

const compress = promisify(deflateRaw)
const extract = promisify(inflateRaw)
const LENGTH_BYTES = 4
/** A longer length is a sign of damage. */
const MAX_PIECE_BYTES = 16 * 1024 * 1024

interface Seal {
  secrets: Secrets
  /** Identifies the file. Its pieces can be decrypted only under this name, and in order. */
  about: string
}

/** A file of appended pieces, each sealed. A killed process loses at most the last one. */
export class SealedFile implements AsyncDisposable {
  #file: FileHandle
  #seal: Seal
  #pieces = 0
  #bytes = 0

  private constructor(file: FileHandle, seal: Seal) {
    this.#file = file
    this.#seal = seal
  }

  /** Throws if the file exists or cannot be created. */
  static async create(path: string, seal: Seal): Promise<SealedFile> {
    return new SealedFile(await open(path, 'ax', 0o600), seal)
  }

  /** On disk, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** Appends compressed text. Call one at a time. */
  async append(text: string): Promise<void> {
    await this.#add(await compress(text))
  }

  /** Appends raw bytes, for data that is already compressed. Call one at a time. */
  async appendBytes(bytes: Uint8Array): Promise<void> {
    await this.#add(bytes)
  }

  async #add(bytes: Uint8Array): Promise<void> {
    const { secrets, about } = this.#seal
    const sealed = secrets.seal(bytes, `${about} ${this.#pieces}`)
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

/** A piece of a sealed file. Reading throws if it was changed, or belongs to another file or position. */
export interface SealedPiece {
  text: () => Promise<string>
  bytes: () => Promise<Buffer>
}

/** The pieces of a file, read on demand. An incomplete last piece is left out. */
export async function readSealedFile(path: string, seal: Seal): Promise<SealedPiece[]> {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  const head = Buffer.alloc(LENGTH_BYTES)
  const pieces: SealedPiece[] = []
  for (let at = 0; at + LENGTH_BYTES <= size;) {
    await file.read(head, 0, LENGTH_BYTES, at)
    const length = head.readUInt32BE(0)
    const position = { from: at + LENGTH_BYTES, length, number: pieces.length }
    at += LENGTH_BYTES + length
    if (at > size) break
    const bytes = () => openPiece(path, seal, position)
    pieces.push({
      bytes,
      text: async () => (await extract(await bytes(), { maxOutputLength: MAX_PIECE_BYTES })).toString('utf8'),
    })
  }
  return pieces
}

async function openPiece(
  path: string,
  { secrets, about }: Seal,
  { from, length, number }: { from: number; length: number; number: number },
): Promise<Buffer> {
  if (length > MAX_PIECE_BYTES)
    throw new Error('A piece of this file has an invalid length. The file is damaged.')
  const sealed = Buffer.alloc(length)
  await using file = await open(path, 'r')
  await file.read(sealed, 0, length, from)
  return secrets.open(sealed, `${about} ${number}`)
}
