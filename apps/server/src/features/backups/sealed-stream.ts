import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, scrypt } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { AppError } from '@muster/contract/errors'
import { z } from 'zod'
import { VERSION } from '../../platform/config/config.ts'

/**
 * A file of encrypted chunks: `MUSTERBK`, the header with its length, SHA-256 and a check of the passphrase, then chunks
 * of one megabyte, each with its length, AES-256-GCM. The nonce is the number of the chunk and whether it is the last
 * one, and every chunk is bound to the header. A chunk that is missing, changed, moved or of another file is detected.
 */
const MAGIC = Buffer.from('MUSTERBK')
const FORMAT = 1
const CHUNK_BYTES = 1024 * 1024
const TAG_BYTES = 16
const HASH_BYTES = 32
const MAX_HEADER_BYTES = 64 * 1024

const Header = z.object({
  format: z.literal(FORMAT),
  server_version: z.string(),
  created_at: z.string(),
  salt: z.base64url().length(22),
  // Memory of scrypt: 128 * n * r bytes.
  n: z
    .int()
    .min(2 ** 14)
    .max(2 ** 18),
  r: z.int().min(8).max(8),
  p: z.int().min(1).max(4),
})
type Header = z.infer<typeof Header>

const Newer = z.object({ format: z.int().min(FORMAT + 1), server_version: z.string() })

const deriveBytes = promisify<string, Buffer, number, object, Buffer>(scrypt)

interface Keys {
  chunks: Buffer
  check: Buffer
}

async function deriveKeys(passphrase: string, { salt, n, r, p }: Header): Promise<Keys> {
  const options = { N: n, r, p, maxmem: 2 * 128 * n * r }
  const bytes = await deriveBytes(passphrase.normalize('NFC'), Buffer.from(salt, 'base64url'), 64, options)
  return { chunks: bytes.subarray(0, 32), check: bytes.subarray(32) }
}

function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt8(isLast ? 1 : 0, 0)
  nonce.writeBigUInt64BE(BigInt(index), 4)
  return nonce
}

/** Writes a file. It is complete after `end`. */
export class SealedWriter implements AsyncDisposable {
  #file: FileHandle
  #key: Buffer
  #about: Buffer
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #chunks = 0

  private constructor(file: FileHandle, key: Buffer, about: Buffer) {
    this.#file = file
    this.#key = key
    this.#about = about
  }

  /** Replaces an existing file. */
  static async create(path: string, passphrase: string): Promise<SealedWriter> {
    const salt = randomBytes(16).toString('base64url')
    const created_at = new Date().toISOString()
    const header = {
      format: FORMAT,
      server_version: VERSION,
      created_at,
      salt,
      n: 2 ** 17,
      r: 8,
      p: 1,
    } as const
    const keys = await deriveKeys(passphrase, header)
    const json = Buffer.from(JSON.stringify(header))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(json.length)
    const hash = createHash('sha256').update(json).digest()
    const check = createHmac('sha256', keys.check).update(json).digest()
    const file = await open(path, 'w', 0o600)
    const writer = new SealedWriter(file, keys.chunks, hash)
    await file.appendFile(Buffer.concat([MAGIC, length, json, hash, check]))
    return writer
  }

  async write(bytes: Buffer): Promise<void> {
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#waitingBytes <= CHUNK_BYTES) return
    const all = Buffer.concat(this.#waiting)
    let from = 0
    // At least one byte remains for the last chunk.
    for (; all.length - from > CHUNK_BYTES; from += CHUNK_BYTES)
      await this.#add(all.subarray(from, from + CHUNK_BYTES), false)
    this.#waiting = [all.subarray(from)]
    this.#waitingBytes = all.length - from
  }

  /** Writes the last chunk, and waits until the file is on the disk. */
  async end(): Promise<void> {
    await this.#add(Buffer.concat(this.#waiting), true)
    await this.#file.sync()
  }

  async #add(bytes: Buffer, isLast: boolean): Promise<void> {
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonceOf(this.#chunks, isLast)).setAAD(this.#about)
    const sealed = Buffer.concat([Buffer.alloc(4), cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
    sealed.writeUInt32BE(sealed.length - 4)
    await this.#file.appendFile(sealed)
    this.#chunks += 1
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }
}

/** Reads the bytes of a file, chunk by chunk. Throws an AppError that says what is wrong with it. */
export async function* readSealed(path: string, passphrase: string): AsyncGenerator<Buffer> {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  if (size === 0) throw new AppError('invalid', `${path} is empty (0 bytes). Use another backup.`)
  let at = 0
  const take = async (bytes: number) => {
    const buffer = Buffer.alloc(bytes)
    let filled = 0
    while (filled < bytes) {
      const { bytesRead } = await file.read(buffer, filled, bytes - filled, at + filled)
      if (bytesRead === 0)
        throw new AppError(
          'invalid',
          `${path} is incomplete: it ends after ${size} bytes. Use another backup.`,
        )
      filled += bytesRead
    }
    at += bytes
    return buffer
  }
  const damaged = () =>
    new AppError('invalid', `${path} is damaged near byte ${at} of ${size}. Use another backup.`)
  if (!(await take(Math.min(MAGIC.length, size))).equals(MAGIC))
    throw new AppError('invalid', `${path} is not a backup of Muster.`)
  const length = (await take(4)).readUInt32BE()
  if (length > MAX_HEADER_BYTES) throw damaged()
  const json = await take(length)
  const hash = await take(HASH_BYTES)
  if (!createHash('sha256').update(json).digest().equals(hash)) throw damaged()
  const keys = await deriveKeys(passphrase, readHeader(json, path))
  if (
    !createHmac('sha256', keys.check)
      .update(json)
      .digest()
      .equals(await take(HASH_BYTES))
  )
    throw new AppError('invalid', `Wrong passphrase for ${path}.`)
  for (let index = 0; ; index += 1) {
    const sealedBytes = (await take(4)).readUInt32BE()
    if (sealedBytes < TAG_BYTES || sealedBytes > CHUNK_BYTES + TAG_BYTES) throw damaged()
    const sealed = await take(sealedBytes)
    const isLast = at === size
    const opened = openChunk(sealed, { key: keys.chunks, about: hash, nonce: nonceOf(index, isLast) })
    if (opened === undefined) {
      // A whole chunk at the end that is not the last one: the file was truncated there.
      const cut = isLast && openChunk(sealed, { key: keys.chunks, about: hash, nonce: nonceOf(index, false) })
      if (cut !== false && cut !== undefined) await take(1)
      throw damaged()
    }
    yield opened
    if (isLast) return
  }
}

function readHeader(json: Buffer, path: string): Header {
  const given = parseJson(json.toString('utf8'))
  const newer = Newer.safeParse(given)
  if (newer.success)
    throw new AppError(
      'conflict',
      `${path} has format ${newer.data.format}, made by Muster ${newer.data.server_version}. This version reads format ${FORMAT}. Update this server first.`,
    )
  const header = Header.safeParse(given)
  if (!header.success) throw new AppError('invalid', `${path} has an invalid header. Use another backup.`)
  return header.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function openChunk(
  sealed: Buffer,
  { key, about, nonce }: { key: Buffer; about: Buffer; nonce: Buffer },
): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(about).setAuthTag(sealed.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}
