import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { KeptFile } from './kept-file.ts'
import { CONSOLE_POLICY, PAGE_POLICY } from './security-headers.ts'

const ONE_YEAR_SECONDS = 31_536_000
const INDEX = 'index.html'
const NOT_BUILT = `<!doctype html><title>Muster</title><p>The console has not been built yet. Start the server with <code>npm start</code>, or run <code>node deploy/build.mjs console</code>.`

export interface ConsoleFiles {
  /** Answers a browser that opens an address: the console, which finds its own screen for it. */
  sendIndex(request: FastifyRequest, reply: FastifyReply): FastifyReply
}

/** Serves the built console from memory: hashed files for ever, the page itself asked for anew each time. */
export function serveConsole(fastify: FastifyInstance, folder: string): ConsoleFiles {
  if (!existsSync(join(folder, INDEX))) return { sendIndex: (_request, reply) => sendNotBuilt(reply) }
  // Only what is on this list is ever opened, whatever an address says.
  for (const [name, file] of listFiles(folder)) {
    if (name !== INDEX) {
      fastify.get(`/${name}`, (request, reply) => sendFile(file, request, reply, 'no-cache'))
    }
  }
  const assets = listFiles(join(folder, 'assets'))
  fastify.get<{ Params: { '*': string } }>('/assets/*', (request, reply) => {
    const file = assets.get(request.params['*'])
    if (file === undefined) return reply.callNotFound()
    return sendFile(file, request, reply, `public, max-age=${ONE_YEAR_SECONDS}, immutable`)
  })
  const index = new KeptFile(folder, INDEX, [])
  return {
    sendIndex: (request, reply) =>
      index.send(request, reply, {
        'cache-control': 'no-cache',
        'content-security-policy': CONSOLE_POLICY,
      }) ?? sendNotBuilt(reply),
  }
}

function sendFile(file: KeptFile, request: FastifyRequest, reply: FastifyReply, cacheControl: string) {
  return file.send(request, reply, { 'cache-control': cacheControl }) ?? reply.callNotFound()
}

function sendNotBuilt(reply: FastifyReply): FastifyReply {
  return reply
    .status(503)
    .header('content-security-policy', PAGE_POLICY)
    .type('text/html; charset=utf-8')
    .send(NOT_BUILT)
}

function listFiles(folder: string): Map<string, KeptFile> {
  if (!existsSync(folder)) return new Map()
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
  const files = names.filter((name) => !/\.(br|gz)$/.test(name))
  return new Map(files.map((name) => [name, new KeptFile(folder, name, names)]))
}

/**
 * Browsers that open an address of the API in a tab (`/agents/<id>` is a screen of the console too) get the
 * console; programs, which do not ask for HTML, get the API.
 */
export function isPageVisit(request: FastifyRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false
  if (request.headers.upgrade !== undefined || request.url.startsWith('/assets/')) return false
  return request.headers.accept?.includes('text/html') === true
}
