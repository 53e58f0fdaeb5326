import { createHash, type Hash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { AppError } from '@muster/contract/errors'
import { z } from 'zod'
import type { TableItem } from './read-tables.ts'
import { readSealed } from './sealed-stream.ts'
import { decodeRows, RowHash } from './table-rows.ts'

const compress = promisify(deflateRaw)
const extract = promisify(inflateRaw)

/** A file of the data folder. The path is relative to it, with slashes. */
export type FileItem =
  | { type: 'file'; path: string }
  | { type: 'data'; bytes: Buffer }
  | { type: 'file-end'; bytes: number; hash: string }

/** The content of a backup: the database, then the files, then what it must add up to. */
export type BackupItem = TableItem | FileItem | ({ type: 'end' } & Totals)

export interface Totals {
  tables: number
  rows: number
  files: number
  bytes: number
}

// Each record: its kind, its length, its bytes.
const JSON_RECORD = 1
const ROWS_RECORD = 2
const DATA_RECORD = 3
const HEAD_BYTES = 5
const MAX_RECORD_BYTES = 1024 * 1024 * 1024

const Count = z.int().min(0)
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const Name = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/)

/** Relative, without a way out of the folder, on any platform. */
const FilePath = z
  .string()
  .min(1)
  .max(1000)
  .refine(
    (path) =>
      !/[\\:\0]/.test(path) && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..'),
  )

const JsonItem = z.discriminatedUnion('type', [
  z.object({ type: z.literal('start'), migrations: z.array(z.string().max(200)).max(10_000) }),
  z.object({ type: z.literal('table'), name: Name, columns: z.array(Name).min(1).max(500) }),
  z.object({ type: z.literal('table-end'), rows: Count, hash: Sha256, last_id: z.int().nullable() }),
  z.object({ type: z.literal('file'), path: FilePath }),
  z.object({ type: z.literal('file-end'), bytes: Count, hash: Sha256 }),
  z.object({ type: z.literal('end'), tables: Count, rows: Count, files: Count, bytes: Count }),
])

export async function encodeItem(item: BackupItem): Promise<Buffer> {
  if (item.type === 'data') return toRecord(DATA_RECORD, item.bytes)
  if (item.type === 'rows') return toRecord(ROWS_RECORD, await compress(item.rows, { level: 1 }))
  return toRecord(JSON_RECORD, Buffer.from(JSON.stringify(item)))
}

function toRecord(kind: number, bytes: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES, kind)
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

/** Reads a backup. Throws an AppError that says what is wrong with the file. */
export async function* readBackup(path: string, passphrase: string): AsyncGenerator<BackupItem> {
  let waiting: Buffer = Buffer.alloc(0)
  for await (const bytes of readSealed(path, passphrase)) {
    const given = waiting.length === 0 ? bytes : Buffer.concat([waiting, bytes])
    let at = 0
    while (given.length - at >= HEAD_BYTES) {
      const length = given.readUInt32BE(at + 1)
      if (length > MAX_RECORD_BYTES) throw invalid(path, 'a record is too long')
      const end = at + HEAD_BYTES + length
      if (end > given.length) break
      yield await decodeRecord(path, given.readUInt8(at), given.subarray(at + HEAD_BYTES, end))
      at = end
    }
    waiting = given.subarray(at)
  }
  if (waiting.length > 0) throw invalid(path, 'it ends within a record')
}

async function decodeRecord(path: string, kind: number, bytes: Buffer): Promise<BackupItem> {
  if (kind === DATA_RECORD) return { type: 'data', bytes }
  try {
    if (kind === ROWS_RECORD)
      return { type: 'rows', rows: await extract(bytes, { maxOutputLength: MAX_RECORD_BYTES }) }
    return JsonItem.parse(JSON.parse(bytes.toString('utf8')))
  } catch (cause) {
    throw invalid(path, 'a record cannot be read', cause)
  }
}

/** The chunks are authentic: the program that wrote the file was at fault. */
function invalid(path: string, reason: string, cause?: unknown): AppError {
  return new AppError('invalid', `${path} is not valid: ${reason}. Use another backup.`, { cause })
}

/**
 * Passes the items on, and throws unless they are whole and in order, with the numbers and hashes that they name.
 * Returns the sum when they end.
 */
export async function* checkItems(
  items: AsyncIterable<BackupItem>,
  path: string,
): AsyncGenerator<BackupItem, Totals> {
  const totals: Totals = { tables: 0, rows: 0, files: 0, bytes: 0 }
  let state: 'new' | 'between' | 'files' | 'done' = 'new'
  let table: { columns: number; hash: RowHash; name: string } | undefined
  let file: { hash: Hash; bytes: number; path: string } | undefined
  const refuse = (reason: string) => invalid(path, reason)
  for await (const item of items) {
    if (state === 'done') throw refuse('it goes on after its end')
    if ((state === 'new') !== (item.type === 'start')) throw refuse('its parts are out of order')
    if (table !== undefined && item.type !== 'rows' && item.type !== 'table-end')
      throw refuse(`table ${table.name} has no end`)
    if (file !== undefined && item.type !== 'data' && item.type !== 'file-end')
      throw refuse(`file ${file.path} has no end`)
    if (item.type === 'start') state = 'between'
    else if (item.type === 'table') {
      if (state === 'files') throw refuse('its parts are out of order')
      table = { columns: item.columns.length, hash: new RowHash(), name: item.name }
    } else if (item.type === 'rows') {
      if (table === undefined) throw refuse('rows without a table')
      for (const { encoded } of decodeRows(item.rows, table.columns)) table.hash.add(encoded)
    } else if (item.type === 'table-end') {
      if (table?.hash.count !== item.rows || table.hash.hex !== item.hash)
        throw refuse(`the rows of table ${table?.name} differ from their number or hash`)
      totals.tables += 1
      totals.rows += item.rows
      table = undefined
    } else if (item.type === 'file') {
      state = 'files'
      file = { hash: createHash('sha256'), bytes: 0, path: item.path }
    } else if (item.type === 'data') {
      if (file === undefined) throw refuse('content without a file')
      file.hash.update(item.bytes)
      file.bytes += item.bytes.length
    } else if (item.type === 'file-end') {
      if (file?.bytes !== item.bytes || file.hash.digest('hex') !== item.hash)
        throw refuse(`file ${file?.path} differs from its size or hash`)
      totals.files += 1
      totals.bytes += item.bytes
      file = undefined
    } else {
      const { type: _, ...named } = item
      if (JSON.stringify(named) !== JSON.stringify(totals)) throw refuse('its parts differ from its totals')
      state = 'done'
    }
    yield item
  }
  if (state !== 'done') throw refuse('it has no end')
  return totals
}
