import type { Stats } from 'node:fs'
import { lstat, opendir, readlink } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { describeFileError } from './file-errors.ts'
import { openToRead } from './open-to-read.ts'
import { isPrivate, joinPath, writePath } from './paths.ts'

const BLOCK_BYTES = 512
const PIECE_BYTES = 64 * 1024
/** Types of entries in a tar archive. */
type EntryType = 'file' | 'link' | 'folder' | 'more'
const TYPE_LETTERS: Record<EntryType, string> = { file: '0', link: '2', folder: '5', more: 'x' }

/**
 * A file or folder as a compressed tar archive, made while it is read: not every Windows has tar. Links stay links.
 * Unreadable entries are omitted and named in `LEFT OUT.txt` at the end. Source of the format: POSIX, "pax".
 */
export function archiveOf(names: readonly Buffer[], dataFolder: string): AsyncIterable<Buffer> {
  const left: string[] = []
  const gzip = createGzip({ level: 6 })
  // Ends the reading too when nobody takes the archive any more. Errors are those of the returned stream.
  pipeline(Readable.from(makeArchive(names, { dataFolder, left })), gzip, () => undefined)
  return gzip
}

interface Archive {
  dataFolder: string
  /** Omitted entries, each with the reason. */
  left: string[]
}

async function* makeArchive(names: readonly Buffer[], archive: Archive): AsyncGenerator<Buffer> {
  yield* addEntry(names, names.length - 1, archive)
  if (archive.left.length > 0) {
    const text = Buffer.from(`${archive.left.join('\r\n')}\r\n`)
    yield* header('LEFT OUT.txt', { type: 'file', size: text.length, modifiedMs: Date.now() })
    yield padded(text)
  }
  yield Buffer.alloc(2 * BLOCK_BYTES)
}

/** `from`: the names before it are not part of the archive. */
async function* addEntry(names: readonly Buffer[], from: number, archive: Archive): AsyncGenerator<Buffer> {
  const name = names.slice(from).map(String).join('/')
  try {
    if (await isPrivate(names, archive.dataFolder)) return
    const path = joinPath(names)
    const found = await lstat(path)
    const about = { size: 0, modifiedMs: found.mtimeMs }
    if (found.isSymbolicLink())
      yield* header(name, { ...about, type: 'link', target: (await readlink(path)).replaceAll('\\', '/') })
    else if (found.isDirectory()) {
      yield* header(`${name}/`, { ...about, type: 'folder' })
      for await (const entry of await opendir(path, { encoding: 'latin1' }))
        yield* addEntry([...names, Buffer.from(entry.name, 'latin1')], from, archive)
    } else yield* addFile(name, { names, found }, archive)
  } catch (cause) {
    archive.left.push(`${name}: ${describeFileError(cause).message}`)
  }
}

/** Exactly as many bytes as the header says: a file that shrinks meanwhile is filled up with zeros. */
async function* addFile(
  name: string,
  { names, found }: { names: readonly Buffer[]; found: Stats },
  { dataFolder, left }: Archive,
): AsyncGenerator<Buffer> {
  const { handle } = await openToRead(writePath(names), dataFolder)
  await using _ = handle
  const { size } = await handle.stat()
  yield* header(name, { type: 'file', size, modifiedMs: found.mtimeMs })
  let at = 0
  while (at < size) {
    const piece = Buffer.alloc(Math.min(PIECE_BYTES, size - at))
    const { bytesRead } = await handle.read(piece, 0, piece.length, at).catch(() => ({ bytesRead: 0 }))
    if (bytesRead === 0) break
    at += bytesRead
    yield piece.subarray(0, bytesRead)
  }
  if (at < size) left.push(`${name}: only the first ${at} of ${size} bytes were read.`)
  const filled = Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
  for (; at < filled; at += PIECE_BYTES) yield Buffer.alloc(Math.min(PIECE_BYTES, filled - at))
}

interface Header {
  type: EntryType
  size: number
  modifiedMs: number
  target?: string
}

/** Long names, and those with letters beyond ASCII, stand in an entry of their own before. */
function* header(name: string, { type, size, modifiedMs, target = '' }: Header): Generator<Buffer> {
  const records = [
    record('path', name),
    ...(target === '' ? [] : [record('linkpath', target)]),
    ...(size > MAX_OCTAL_SIZE ? [record('size', String(size))] : []),
  ].join('')
  const more = Buffer.from(records)
  yield block('pax', { type: 'more', size: more.length, modifiedMs })
  yield padded(more)
  yield block('file', { type, size: Math.min(size, MAX_OCTAL_SIZE), modifiedMs, target: 'link' })
}

const MAX_OCTAL_SIZE = 0o77_777_777_777

/** `length key=value\n`; the length counts itself. */
function record(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  let length = rest + 1
  while (length !== rest + String(length).length) length = rest + String(length).length
  return `${length} ${key}=${value}\n`
}

function block(name: string, { type, size, modifiedMs, target = '' }: Header): Buffer {
  const bytes = Buffer.alloc(BLOCK_BYTES)
  const octal = (value: number, digits: number) => `${Math.trunc(value).toString(8).padStart(digits, '0')}\0`
  bytes.write(name, 0)
  bytes.write(octal(type === 'folder' ? 0o755 : 0o644, 7), 100)
  bytes.write(octal(0, 7), 108)
  bytes.write(octal(0, 7), 116)
  bytes.write(octal(size, 11), 124)
  bytes.write(octal(Math.max(0, modifiedMs / 1000), 11), 136)
  bytes.write(' '.repeat(8), 148)
  bytes.write(TYPE_LETTERS[type], 156)
  if (type === 'link') bytes.write(target, 157)
  bytes.write('ustar\u000000', 257)
  bytes.write(
    `${octal(
      bytes.reduce((sum, byte) => sum + byte, 0),
      6,
    )} `,
    148,
  )
  return bytes
}

function padded(bytes: Buffer): Buffer {
  const filled = Buffer.alloc(Math.ceil(bytes.length / BLOCK_BYTES) * BLOCK_BYTES)
  bytes.copy(filled)
  return filled
}
