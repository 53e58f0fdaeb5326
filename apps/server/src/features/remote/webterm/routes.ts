import {
  checkWebTermPermission,
  listWebTermSessions,
  WEBTERM_PATH,
  WebTermHello,
  type WebTermSession,
} from '@muster/contract/api/webterm'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import { isAllowedOrigin } from '../../../platform/http/origins.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import type { SessionCookies } from '../../users/sessions/session-cookies.ts'
import { acceptSocket, orClosed } from '../accept-socket.ts'
import { checkWebTerminal, openWebTerminal } from './open-web-terminal.ts'
import { listWebTerminals, type WebTerminalRow } from './queries.ts'
import { WebTerminals } from './web-terminals.ts'

/** Shells of the server for superusers: their sockets, and the list of sessions. */
export function webTermRoutes(api: Api, ctx: Context, cookies: SessionCookies): WebTerminals {
  const terminals = new WebTerminals(ctx)
  api.metrics.gauge('muster_web_terminals', 'Web terminals that run in this process', () => terminals.size)
  api.fastify.addHook('preClose', () => terminals[Symbol.asyncDispose]())

  route(api, listWebTermSessions, async ({ caller }) => {
    if (!caller.isSuperuser)
      throw new AppError('not_allowed', 'Only superusers may see who used the web terminal.')
    return (await listWebTerminals(ctx.db)).map(viewWebTerminal)
  })

  route(api, checkWebTermPermission, async ({ caller }) => {
    const refusal = await checkWebTerminal(ctx, caller)
    if (refusal !== undefined)
      throw new AppError(caller.isSuperuser ? 'switched_off' : 'not_allowed', refusal.message)
    return 'ok' as const
  })

  api.fastify.get(
    WEBTERM_PATH,
    {
      websocket: true,
      config: {
        summary: 'WebSocket of a shell of the server, opened with a ticket, described in docs/protocol.md',
      },
      preValidation: async (request) => {
        api.gate.requireRoom(request.ip)
        const { origin } = request.headers
        if (origin === undefined || isAllowedOrigin(ctx.config, request, origin)) return
        throw new AppError('bad_origin', 'Pages of this origin may not use this server.')
      },
    },
    (socket, request) => {
      const browser = { source: request.ip, cookie: cookies.find(request) }
      const onSignedIn = api.gate.enter(socket, request.raw.socket, request.ip)
      acceptSocket(socket, WebTermHello, (hello, takeEarly) =>
        terminals.run(() =>
          orClosed(
            socket,
            openWebTerminal({ ctx, terminals }, { socket, hello, takeEarly, browser, onSignedIn }),
          ),
        ),
      )
    },
  )
  return terminals
}

function viewWebTerminal(row: WebTerminalRow): WebTermSession {
  const { recorded, recording_bytes, recording_problem } = row
  return {
    id: row.id,
    tool: 'terminal',
    host: row.host,
    username: row.username,
    ip_address: row.ip_address,
    started_at: row.started_at,
    ended_at: row.ended_at,
    exit_code: row.exit_code,
    reason: row.reason,
    receipt: null,
    recording: recorded === 1 ? { bytes: Number(recording_bytes), problem: recording_problem } : null,
  }
}
