import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Config } from '../../platform/config/config.ts'
import type { FileItem } from './backup-items.ts'

/** The database itself, locks, copies of it, and what the server makes again. */
const LEFT_OUT = [
  /^muster[.-]/,
  /^(backups|moving|packages|release)\//,
  /^agent\/(agent\.lock|status\.json|code-cache\/|run\/)/,
  /\.partial$/,
  /-(wal|shm|journal)$/,
]
const SQLITE_FILE = /\.db$/
const READ_BYTES = 256 * 1024
const MAX_DEPTH = 20

/** Certificates of the server are restored into this folder. */
export const TLS_FOLDER = 'tls'

/**
 * The files of the data folder, with the certificate and key of the server wherever they are. `except`: absolute paths
 * that are left out, such as the folder of the backups.
 */
export async function* readDataFiles(
  { dataFolder, tls }: Pick<Config, 'dataFolder' | 'tls'>,
  except: readonly string[],
): AsyncGenerator<FileItem> {
  const inside = await listFiles(dataFolder, '', { except: except.map((path) => resolve(path)), depth: 0 })
  for (const path of inside.toSorted()) yield* readOne(join(dataFolder, path), path)
  if (tls === undefined) return
  for (const [from, to] of [
    [tls.certFile, `${TLS_FOLDER}/cert.pem`],
    [tls.keyFile, `${TLS_FOLDER}/key.pem`],
  ] as const)
    if (!inside.includes(to)) yield* readOne(resolve(from), to)
}

async function listFiles(
  root: string,
  folder: string,
  { except, depth }: { except: readonly string[]; depth: number },
): Promise<string[]> {
  if (depth > MAX_DEPTH) throw new Error(`The folders in ${join(root, folder)} are nested too deeply.`)
  const found: string[] = []
  for (const name of await readdir(join(root, folder))) {
    const path = folder + name
    const entry = await unlessGone(stat(join(root, path)))
    if (entry === undefined || except.includes(join(root, path))) continue
    const shown = entry.isDirectory() ? `${path}/` : path
    if (LEFT_OUT.some((pattern) => pattern.test(shown))) continue
    if (entry.isDirectory()) found.push(...(await listFiles(root, shown, { except, depth: depth + 1 })))
    else if (entry.isFile()) found.push(path)
  }
  return found
}

async function* readOne(from: string, path: string): AsyncGenerator<FileItem> {
  const pieces = SQLITE_FILE.test(path) ? copyDatabase(from) : readPieces(from)
  const hash = createHash('sha256')
  let bytes = 0
  let isThere = false
  for await (const piece of pieces) {
    if (!isThere) yield { type: 'file', path }
    isThere = true
    hash.update(piece)
    bytes += piece.length
    yield { type: 'data', bytes: piece }
  }
  if (isThere) yield { type: 'file-end', bytes, hash: hash.digest('hex') }
}

/** Content as long as it was when it was opened. Nothing if the file is gone. An empty file is one empty piece. */
async function* readPieces(path: string): AsyncGenerator<Buffer> {
  await using file = await unlessGone(open(path, 'r'))
  if (file === undefined) return
  const { size } = await file.stat()
  if (size === 0) yield Buffer.alloc(0)
  for (let at = 0; at < size;) {
    const piece = Buffer.allocUnsafe(Math.min(READ_BYTES, size - at))
    const { bytesRead } = await file.read(piece, 0, piece.length, at)
    if (bytesRead === 0) return
    yield piece.subarray(0, bytesRead)
    at += bytesRead
  }
}

/** The state of the agent on the server's own machine, which writes to it meanwhile. It is small. */
function* copyDatabase(path: string): Generator<Buffer> {
  if (!existsSync(path)) return
  using database = new DatabaseSync(path, { timeout: 5000 })
  yield Buffer.from(database.serialize())
}

async function unlessGone<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
