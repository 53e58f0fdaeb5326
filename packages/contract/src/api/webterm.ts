import { z } from 'zod'
import { TerminalSize } from '../channels.ts'
import { endpoint } from '../endpoint.ts'
import { RemoteSession } from './remote.ts'

/** The WebSocket of a shell on the server itself. It uses the protocol of machine tools: see channels.ts. */
export const WEBTERM_PATH = '/ws/webterm/'

export const WebTermRequest = z.object({ tool: z.literal('webterm'), ...TerminalSize.shape })
export type WebTermRequest = z.infer<typeof WebTermRequest>

export const WebTermHello = z.object({
  type: z.literal('hello'),
  ticket: z.string().min(1).max(200),
  request: WebTermRequest,
})
export type WebTermHello = z.infer<typeof WebTermHello>

/** A shell session on the server. Its recording is played like those of machines. */
export const WebTermSession = RemoteSession.extend({
  /** Host name of the server process. */
  host: z.string(),
})
export type WebTermSession = z.infer<typeof WebTermSession>

/** For scripts of the field's API. The console gets the same from `GET /core/dashinfo/` and from the socket. */
export const checkWebTermPermission = endpoint({
  method: 'POST',
  path: '/core/webtermperms/',
  access: 'signed-in',
  summary: 'Check access to the web terminal: "ok", 403 if the caller is no superuser, 412 if it is disabled',
  response: z.literal('ok'),
})

export const listWebTermSessions = endpoint({
  method: 'GET',
  path: '/core/webterm/sessions/',
  access: 'can_view_recordings',
  summary: 'List the newest 1000 sessions of the web terminal, newest first; superusers only',
  response: z.array(WebTermSession),
})
