import { getMachineCounts } from '@muster/contract/api/system'
import { AppError } from '@muster/contract/errors'
import { LIVE_CLOSE } from '@muster/contract/events'
import { LiveHello } from '@muster/contract/live-messages'
import type { RawData, WebSocket } from 'ws'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Context } from '../../context.ts'
import { type Caller, mayDo } from '../../platform/http/caller.ts'
import { isAllowedOrigin } from '../../platform/http/origins.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { findCaller } from '../users/sessions/find-caller.ts'
import type { SessionCookies } from '../users/sessions/session-cookies.ts'
import { redeemTicket } from '../users/sessions/socket-tickets.ts'
import type { Db } from '../../platform/database/database.ts'
import type { AgentRowSource } from './agent-frames.ts'
import { countMachines, LiveHub } from './live-hub.ts'
import { createVisibility, type Visibility } from './visibility.ts'
import { LiveSocket } from './live-socket.ts'

const LIVE_PATH = '/ws/live/'

export interface LiveOptions {
  rows: AgentRowSource
  /** As returned by `/core/version/`. */
  version: string
  cookies: SessionCookies
  mostBufferedBytes?: number
}

/** Mounts the consoles' live socket. `hub.size` is the number of consoles. */
export function liveRoutes(api: Api, ctx: Context, options: LiveOptions): LiveHub {
  const visibilityOf = async ({ scope }: Caller) =>
    createVisibility(scope, scope.all ? [] : await findClientsOfSites(ctx.db, scope.siteIds))
  const daysUntilCertExpires = watchCertificate(ctx)
  const hub = new LiveHub({
    log: ctx.log,
    now: ctx.now,
    version: options.version,
    rows: options.rows,
    onEvent: ctx.onEvent,
    daysUntilCertExpires,
    recheck: async (known) => {
      const caller = await findCaller(ctx, known.session.digest, known.source)
      const session = caller?.session
      if (caller === undefined || session === undefined || session.inGrace || session.pending !== undefined)
        return undefined
      return { caller: { ...caller, session }, visibleScope: await visibilityOf(caller) }
    },
  })
  api.metrics.gauge('muster_live_consoles', 'Consoles with a live socket to this process', () => hub.size)
  api.fastify.addHook('preClose', () => hub[Symbol.asyncDispose]())

  // For consoles behind a proxy that does not pass WebSockets.
  route(api, getMachineCounts, async ({ caller }) =>
    mayDo(caller, 'can_list_agents')
      ? {
          ...countMachines(await options.rows.list(caller, {})),
          days_until_cert_expires: daysUntilCertExpires(),
        }
      : null,
  )

  api.fastify.get(
    LIVE_PATH,
    {
      websocket: true,
      config: { summary: 'WebSocket of the consoles, opened with a ticket, described in docs/protocol.md' },
      // Checked here as well, so that it does not depend on earlier hooks. Programs send no origin.
      preValidation: async (request) => {
        api.gate.requireRoom(request.ip)
        const { origin } = request.headers
        if (origin === undefined || isAllowedOrigin(ctx.config, request, origin)) return
        throw new AppError('bad_origin', 'Pages of this origin may not use this server.')
      },
    },
    (socket, request) => {
      const onSignedIn = api.gate.enter(socket, request.raw.socket, request.ip)
      greetConsole(socket, {
        hub,
        redeem: async (ticket) => {
          const caller = await redeemTicket(ctx, ticket, {
            source: request.ip,
            cookie: options.cookies.find(request),
          })
          onSignedIn()
          return caller
        },
        visibilityOf,
        mostBufferedBytes: options.mostBufferedBytes,
      })
    },
  )
  return hub
}

interface Greeting {
  hub: LiveHub
  /** Throws `not_signed_in` for an invalid ticket. */
  redeem: (ticket: string) => Promise<Caller>
  visibilityOf: (caller: Caller) => Promise<Visibility>
  mostBufferedBytes?: number | undefined
}

const HELLO_WITHIN_MS = 5000
const MAX_MESSAGE_BYTES = 4096
const UNSUPPORTED = 1003
const TOO_BIG = 1009
const FAILED = 1011

/** Serves a console from its connection to its end: first a hello with a ticket, then pings. */
function greetConsole(socket: WebSocket, greeting: Greeting): void {
  const { hub } = greeting
  let live: LiveSocket | undefined
  let greeted = false
  const timer = setTimeout(() => {
    socket.close(LIVE_CLOSE.ticketRefused, 'No ticket was sent within 5 seconds.')
  }, HELLO_WITHIN_MS)
  socket.on('close', () => {
    clearTimeout(timer)
    if (live !== undefined) hub.remove(live)
  })
  socket.on('message', (message, isBinary) => {
    // Messages that arrive after the socket was closed are ignored.
    if (socket.readyState !== socket.OPEN) return
    const text = readText(socket, message, isBinary)
    if (text === undefined) return
    if (live !== undefined) live.receivedAtMs = performance.now()
    if (text === 'ping') {
      if (live === undefined) socket.send('pong')
      else live.sendText('pong')
    } else if (greeted) {
      socket.close(LIVE_CLOSE.unknownMessage, 'After the ticket only "ping" is supported.')
    } else {
      greeted = true
      clearTimeout(timer)
      void hub.run(() => enter(text))
    }
  })

  async function enter(text: string): Promise<void> {
    const hello = LiveHello.safeParse(readJson(text))
    if (!hello.success) {
      socket.close(LIVE_CLOSE.unknownMessage, 'The first message must be {"type":"hello","ticket":"..."}.')
      return
    }
    try {
      const caller = await greeting.redeem(hello.data.ticket)
      const { session } = caller
      if (session === undefined) throw new AppError('not_signed_in', 'Live sockets require a signed-in user.')
      const viewer = { caller: { ...caller, session }, visibleScope: await greeting.visibilityOf(caller) }
      // It may have disconnected while its ticket was checked.
      if (socket.readyState !== socket.OPEN) return
      live = new LiveSocket(socket, viewer, greeting.mostBufferedBytes)
      await hub.add(live)
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_signed_in') {
        socket.close(LIVE_CLOSE.ticketRefused, error.message)
        return
      }
      socket.close(FAILED, 'Something went wrong on the server.')
      throw error
    }
  }
}

function readText(socket: WebSocket, message: RawData, isBinary: boolean): string | undefined {
  // `ws` provides one Buffer by default.
  const bytes = message as Buffer
  if (bytes.length > MAX_MESSAGE_BYTES) {
    socket.close(TOO_BIG, 'This message is too long.')
  } else if (isBinary) {
    socket.close(UNSUPPORTED, 'Only text is supported.')
  } else {
    return bytes.toString('utf8')
  }
  return undefined
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const DAY_MS = 86_400_000

/** Days until the server's own certificate expires, rounded down. Null without TLS. */
export function watchCertificate({ config, now }: Pick<Context, 'config' | 'now'>): () => number | null {
  if (config.tls === undefined) return () => null
  // The first one in the file is the server's own. It is loaded at the start, so it is read once.
  const expiresAt = new X509Certificate(readFileSync(config.tls.certFile)).validToDate.getTime()
  return () => Math.floor((expiresAt - now().getTime()) / DAY_MS)
}

async function findClientsOfSites(db: Db, siteIds: number[]): Promise<number[]> {
  if (siteIds.length === 0) return []
  const rows = await db
    .selectFrom('sites')
    .select('client_id')
    .distinct()
    .where('id', 'in', siteIds)
    .execute()
  return rows.map((row) => row.client_id)
}
