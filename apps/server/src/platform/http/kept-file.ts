import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyReply, FastifyRequest } from 'fastify'

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}
/** In the order in which they are wanted. */
const ENDINGS = { br: '.br', gzip: '.gz', identity: '' }
type Encoding = keyof typeof ENDINGS

interface Body {
  bytes: Buffer
  etag: string
}

/**
 * A file of the console that stays in memory once somebody has asked for it, as it is and as the build compressed it:
 * with ten thousand machines on this process, a file that is read from disk for each browser is there 10 to 30 ms later.
 */
export class KeptFile {
  #path: string
  #type: string
  #encodings: Encoding[]
  #kept = new Map<Encoding, Body>()

  /** `siblings` are the names in the folder, compressed ones among them. */
  constructor(folder: string, name: string, siblings: readonly string[]) {
    this.#path = join(folder, name)
    this.#type = TYPES[extname(name)] ?? 'application/octet-stream'
    const made = (['br', 'gzip'] as const).filter((encoding) => siblings.includes(name + ENDINGS[encoding]))
    this.#encodings = [...made, 'identity']
  }

  /** Undefined, and nothing is answered, where the file is gone by now: the console is being built anew. */
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    headers: Record<string, string>,
  ): FastifyReply | undefined {
    const accepted = request.headers['accept-encoding'] ?? 'identity'
    const encoding = negotiate(String(accepted), this.#encodings) ?? 'identity'
    const body = this.#read(encoding)
    if (body === undefined) return undefined
    const { bytes, etag } = body
    reply.headers(headers).header('etag', etag).header('vary', 'accept-encoding').type(this.#type)
    if (request.headers['if-none-match'] === etag) return reply.status(304).send()
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return reply.send(bytes)
  }

  #read(encoding: Encoding): Body | undefined {
    const kept = this.#kept.get(encoding)
    if (kept !== undefined) return kept
    const bytes = readIfThere(this.#path + ENDINGS[encoding])
    if (bytes === undefined) return undefined
    const body = { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
    this.#kept.set(encoding, body)
    return body
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
