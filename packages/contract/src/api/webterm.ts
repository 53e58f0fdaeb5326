import { z } from 'zod'
import { TerminalSize } from '../channels.ts'
import { endpoint } from '../endpoint.ts'
import { RemoteSession } from './remote.ts'

/** The WebSocket of a shell of the server itself. It speaks as that of a machine's tool does: see channels.ts. */
export const WEBTERM_PATH = '/ws/webterm/'

export const WebTermRequest = z.object({ tool: z.literal('webterm'), ...TerminalSize.shape })
export type WebTermRequest = z.infer<typeof WebTermRequest>

export const WebTermHello = z.object({
  type: z.literal('hello'),
  ticket: z.string().min(1).max(200),
  request: WebTermRequest,
})
export type WebTermHello = z.infer<typeof WebTermHello>

/** A shell of the server that somebody opened. Its recording is played like those of machines. */
export const WebTermSession = RemoteSession.extend({
  /** The name of the host whose server process it was. */
  host: z.string(),
})
export type WebTermSession = z.infer<typeof WebTermSession>

/** For scripts of the field's API; the console learns the same from `GET /core/dashinfo/` and from the socket. */
export const checkWebTermPermission = endpoint({
  method: 'POST',
  path: '/core/webtermperms/',
  access: 'signed-in',
  summary:
    'Whether one may open the web terminal: "ok", 403 for who is no superuser, 412 where it is switched off',
  response: z.literal('ok'),
})

export const listWebTermSessions = endpoint({
  method: 'GET',
  path: '/core/webterm/sessions/',
  access: 'can_view_recordings',
  summary: 'The newest 1000 sessions of the web terminal, the newest first; for superusers',
  response: z.array(WebTermSession),
})
