import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CONSOLE_POLICY, PAGE_POLICY } from './security-headers.ts'

const ONE_YEAR_SECONDS = 31_536_000
const INDEX = 'index.html'
const NOT_BUILT = `<!doctype html><title>Muster</title><p>The console has not been built yet. Start the server with <code>npm start</code>, or run <code>node deploy/build.mjs console</code>.`

export interface ConsoleFiles {
  /** Answers a browser that opens an address: the console, which finds its own screen for it. */
  sendIndex(reply: FastifyReply): FastifyReply
}

/** Serves the built console: hashed files for ever, the page itself asked for anew each time. */
export async function serveConsole(fastify: FastifyInstance, folder: string): Promise<ConsoleFiles> {
  if (!existsSync(join(folder, INDEX))) {
    return {
      sendIndex: (reply) =>
        reply
          .status(503)
          .header('content-security-policy', PAGE_POLICY)
          .type('text/html; charset=utf-8')
          .send(NOT_BUILT),
    }
  }
  await fastify.register(fastifyStatic, {
    root: folder,
    serve: false,
    index: false,
    dotfiles: 'ignore',
    cacheControl: false,
    preCompressed: true,
    setHeaders: (response, path) => {
      const isHashed = path.startsWith(join(folder, 'assets'))
      response.header(
        'cache-control',
        isHashed ? `public, max-age=${ONE_YEAR_SECONDS}, immutable` : 'no-cache',
      )
      if (path.includes(INDEX)) response.header('content-security-policy', CONSOLE_POLICY)
    },
  })
  for (const name of readdirSync(folder)) {
    if (!/^\.|\.(html|br|gz)$|^assets$/.test(name)) {
      fastify.get(`/${name}`, (_request, reply) => reply.sendFile(name))
    }
  }
  fastify.get<{ Params: { '*': string } }>('/assets/*', (request, reply) =>
    reply.sendFile(`assets/${request.params['*']}`),
  )
  return { sendIndex: (reply) => reply.sendFile(INDEX) }
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
