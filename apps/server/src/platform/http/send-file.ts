import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { DownloadSlots } from './download-slots.ts'
import { clientHas } from './etags.ts'

/** For routes of files: what is sent in ranges must have the same bytes each time. */
export const FILE_ROUTE = { compress: false } as const

export interface StoredFile {
  bytes: number
  /** A strong tag, in quotes: another one for every other content. */
  etag: string
  /** Reads from one byte to another, both included. */
  read: (range: ByteRange) => Readable
}

export interface ByteRange {
  start: number
  end: number
}

/** A file on the disk, which is replaced as a whole. */
export async function openFile(path: string, hash?: string): Promise<StoredFile> {
  const { size, ino, mtimeNs } = await stat(path, { bigint: true })
  return {
    bytes: Number(size),
    etag: `"${hash ?? [size, ino, mtimeNs].map((part) => part.toString(36)).join('-')}"`,
    read: (range) => createReadStream(path, range),
  }
}

/**
 * Sends a file, or the part of it that the client requests: an interrupted download continues where it broke off, as
 * long as the file is the same (RFC 9110, 14). With `slots`, bytes are sent only while one is free.
 */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StoredFile,
  slots?: DownloadSlots,
): FastifyReply {
  const { bytes, etag } = file
  if (clientHas(etag, request)) return reply.header('etag', etag).status(304).send()
  const wanted = hasRightVersion(request, etag) ? requestedRange(request) : undefined
  const range = wanted === undefined ? { start: 0, end: bytes - 1 } : rangeWithin(wanted, bytes)
  if (range === undefined) return refuseRange(reply, bytes)
  slots?.enter(request, reply)
  if (!reply.hasHeader('content-type')) reply.type('application/octet-stream')
  if (wanted !== undefined) reply.status(206).header('content-range', describeRange(range, bytes))
  reply
    .header('accept-ranges', 'bytes')
    .header('etag', etag)
    .header('content-length', range.end - range.start + 1)
  // An empty stream keeps the length, which Fastify would replace by that of an empty text.
  if (request.method === 'HEAD' || bytes === 0) return reply.send(Readable.from([]))
  return reply.send(file.read(range))
}

/** Without the last byte: up to the end. Without the first: so many bytes at the end. */
export interface WantedRange {
  first: number | undefined
  last: number | undefined
}

/** The range of a GET. Several ranges, other units and mistakes count as none, so the whole file is sent. */
export function requestedRange({ method, headers }: FastifyRequest): WantedRange | undefined {
  if (method !== 'GET') return undefined
  const [whole, from = '', to = ''] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(headers.range ?? '') ?? []
  if (whole === undefined || from + to === '') return undefined
  const range = { first: from === '' ? undefined : Number(from), last: to === '' ? undefined : Number(to) }
  return range.first !== undefined && range.last !== undefined && range.last < range.first ? undefined : range
}

/** Returns undefined if none of the requested bytes exists. */
function rangeWithin({ first, last }: WantedRange, bytes: number): ByteRange | undefined {
  const start = first ?? Math.max(0, bytes - (last ?? 0))
  const end = first === undefined || last === undefined ? bytes - 1 : Math.min(last, bytes - 1)
  return start > end ? undefined : { start, end }
}

export function describeRange({ start, end }: ByteRange, bytes: number): string {
  return `bytes ${start}-${end}/${bytes}`
}

export function refuseRange(reply: FastifyReply, bytes: number): FastifyReply {
  return reply.status(416).header('content-range', `bytes */${bytes}`).send('')
}

/** `If-Range` needs the same strong tag. The server sends no date to compare. */
function hasRightVersion({ headers }: FastifyRequest, etag: string): boolean {
  const condition = headers['if-range']
  return condition === undefined || condition === etag
}
