import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import { negotiate } from '@fastify/accept-negotiator'
import { clientHas } from './etags.ts'
import { API_DOCS_POLICY, CONSOLE_POLICY, PAGE_POLICY, WORKER_POLICY } from './security-headers.ts'

const ONE_YEAR_SECONDS = 31_536_000
const INDEX = 'index.html'
const API_DOCS = 'api-docs.html'
const WORKER = 'service-worker.js'
const NOT_BUILT = `<!doctype html><title>Muster</title><p>The console has not been built yet. Start the server with <code>npm start</code>, or run <code>node deploy/build.mjs console</code>.`

export interface ConsoleFiles {
  /** Serves the console to a browser at any address; the console routes from there. */
  sendIndex(request: FastifyRequest, reply: FastifyReply): FastifyReply
  /** Serves the page about the API. */
  sendApiDocs(request: FastifyRequest, reply: FastifyReply): FastifyReply
}

/** Serves the built console from memory: hashed files forever, the page revalidated each time. */
export function serveConsole(fastify: FastifyInstance, folder: string): ConsoleFiles {
  if (!existsSync(join(folder, INDEX))) {
    const sendPage = (_request: FastifyRequest, reply: FastifyReply) => sendNotBuilt(reply)
    return { sendIndex: sendPage, sendApiDocs: sendPage }
  }
  // Only files on this list are ever opened, whatever the URL.
  for (const [name, file] of listFiles(folder)) {
    if (name === INDEX || name === API_DOCS) continue
    fastify.get(`/${name}`, (request, reply) => {
      if (name === WORKER) void reply.header('content-security-policy', WORKER_POLICY)
      return sendFile(file, request, reply, 'no-cache')
    })
  }
  const assets = listFiles(join(folder, 'assets'))
  fastify.get<{ Params: { '*': string } }>('/assets/*', (request, reply) => {
    const file = assets.get(request.params['*'])
    if (file === undefined) return reply.callNotFound()
    return sendFile(file, request, reply, `public, max-age=${ONE_YEAR_SECONDS}, immutable`)
  })
  return {
    sendIndex: pageSender(folder, INDEX, CONSOLE_POLICY),
    sendApiDocs: pageSender(folder, API_DOCS, API_DOCS_POLICY),
  }
}

function pageSender(folder: string, name: string, policy: string) {
  const page = new CachedFile(folder, name, [])
  const headers = { 'cache-control': 'no-cache', 'content-security-policy': policy }
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    page.send(request, reply, headers) ?? sendNotBuilt(reply)
}

function sendFile(file: CachedFile, request: FastifyRequest, reply: FastifyReply, cacheControl: string) {
  return file.send(request, reply, { 'cache-control': cacheControl }) ?? reply.callNotFound()
}

function sendNotBuilt(reply: FastifyReply): FastifyReply {
  return reply
    .status(503)
    .header('content-security-policy', PAGE_POLICY)
    .type('text/html; charset=utf-8')
    .send(NOT_BUILT)
}

function listFiles(folder: string): Map<string, CachedFile> {
  if (!existsSync(folder)) return new Map()
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
  const files = names.filter((name) => !/\.(br|gz)$/.test(name))
  return new Map(files.map((name) => [name, new CachedFile(folder, name, names)]))
}

/** Returns true for a browser that opens an address in a tab. Programs with a key or a token may accept HTML as well. */
export function isPageVisit({ method, url, headers }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (headers.upgrade !== undefined || url.startsWith('/assets/')) return false
  // Browsers send the Basic password of a proxy by themselves.
  if (headers['x-api-key'] !== undefined || /^(token|bearer) /i.test(headers.authorization ?? ''))
    return false
  return headers.accept?.includes('text/html') === true
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
}
/** In order of preference. */
const ENDINGS = { br: '.br', gzip: '.gz', identity: '' }
type Encoding = keyof typeof ENDINGS

interface Body {
  bytes: Buffer
  etag: string
}

/**
 * A console file that stays in memory after its first request, raw and as compressed by the build. With ten thousand
 * agents on this process, reading from disk would take 10 to 30 ms longer.
 */
class CachedFile {
  #path: string
  #type: string
  #encodings: Encoding[]
  #kept = new Map<Encoding, Body>()

  /** `siblings`: the names in the folder, including compressed files. */
  constructor(folder: string, name: string, siblings: readonly string[]) {
    this.#path = join(folder, name)
    this.#type = TYPES[extname(name)] ?? 'application/octet-stream'
    const made = (['br', 'gzip'] as const).filter((encoding) => siblings.includes(name + ENDINGS[encoding]))
    this.#encodings = [...made, 'identity']
  }

  /** Returns undefined without replying if the file is missing: the console is being rebuilt. */
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
    if (clientHas(etag, request)) return reply.status(304).send()
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
