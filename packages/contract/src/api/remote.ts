import { z } from 'zod'
import { TerminalDefaults } from '../agent/shells.ts'
import { SessionChangesView } from '../agent/remote.ts'
import { endpoint } from '../endpoint.ts'
import { AgentId, Instant } from '../fields.ts'

/** A session of a remote tool on a machine. */
export const RemoteSession = z.object({
  id: z.uuid(),
  tool: z.string(),
  /** The session that this one views, another user's terminal. */
  joined_session: z.uuid().nullable().optional(),
  username: z.string(),
  /** The reason that the user gave. */
  purpose: z.string().nullable().optional(),
  ip_address: z.string(),
  started_at: Instant,
  /** Null while it is open. */
  ended_at: Instant.nullable(),
  exit_code: z.int().nullable(),
  reason: z.string().nullable(),
  recording: z
    .object({
      /** Stored size, compressed and encrypted; an active recording counts when it has ended. */
      bytes: z.int(),
      /** Why a part is missing. */
      problem: z.string().nullable(),
    })
    .nullable(),
  /** Number of changes on the machine during the session; null = not known yet. */
  receipt: z.object({ changes: z.int() }).nullable(),
})
export type RemoteSession = z.infer<typeof RemoteSession>

export const listRemoteSessions = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/remotesessions/',
  access: 'can_view_recordings',
  summary: 'List the newest 1000 remote sessions of a machine, newest first',
  params: z.object({ agent_id: AgentId }),
  response: z.array(RemoteSession),
})

/** An open terminal that another user may join. */
export const OpenTerminal = z.object({ session: z.uuid(), username: z.string(), started_at: Instant })
export type OpenTerminal = z.infer<typeof OpenTerminal>

export const listOpenTerminals = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/terminals/',
  access: 'can_join_terminals',
  summary: 'List open terminals of other users on a machine, oldest first',
  params: z.object({ agent_id: AgentId }),
  response: z.array(OpenTerminal),
})

export const getTerminalDefaults = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/terminal-defaults/',
  access: 'can_use_terminal',
  summary: 'List the shells of a machine, and the users that they can run as',
  params: z.object({ agent_id: AgentId }),
  response: TerminalDefaults,
})

/** Milliseconds since the session started; `o` output, `r` a new size (`80x24`), `m` a remark. */
export const RecordedEvent = z.tuple([z.int(), z.enum(['o', 'r', 'm']), z.string()])
export type RecordedEvent = z.infer<typeof RecordedEvent>

export const RecordingPage = z.object({
  /** The initial size of these events. */
  width: z.int(),
  height: z.int(),
  events: z.array(RecordedEvent),
  /** Next position; null = the last page. */
  next: z.int().nullable(),
})
export type RecordingPage = z.infer<typeof RecordingPage>

export const getRecording = endpoint({
  method: 'GET',
  path: '/remotesessions/:id/recording/',
  access: 'can_view_recordings',
  summary: 'Get a page of a terminal recording. The first page is recorded in the audit log',
  params: z.object({ id: z.uuid() }),
  query: z.object({ after: z.coerce.number().int().min(0).max(10_000_000).default(0) }),
  response: RecordingPage,
})

/** Milliseconds since the window was opened; `s` bytes of the VNC server, in base64; `p` pointer position (`x,y`). */
export const ScreenEvent = z.tuple([z.int(), z.enum(['s', 'p']), z.string()])
export type ScreenEvent = z.infer<typeof ScreenEvent>

export const ScreenRecordingPage = z.object({
  events: z.array(ScreenEvent),
  /** Total length in milliseconds; null = unknown: the session is open, or its server was killed. */
  milliseconds: z.int().nullable(),
  /** Next position; null = the last page. */
  next: z.int().nullable(),
})
export type ScreenRecordingPage = z.infer<typeof ScreenRecordingPage>

export const getScreenRecording = endpoint({
  method: 'GET',
  path: '/remotesessions/:id/screen/',
  access: 'can_view_recordings',
  summary:
    'Get a page of a desktop recording: the RFB stream from ServerInit on, as in docs/protocol.md. The first page is recorded in the audit log',
  params: z.object({ id: z.uuid() }),
  query: z.object({ after: z.coerce.number().int().min(0).max(10_000_000).default(0) }),
  response: ScreenRecordingPage,
})

export const getSessionChanges = endpoint({
  method: 'GET',
  path: '/remotesessions/:id/receipt/',
  access: 'can_view_recordings',
  summary: 'List what changed on the machine during a remote session',
  params: z.object({ id: z.uuid() }),
  response: SessionChangesView,
})

export const OpenTool = RemoteSession.pick({ id: true, tool: true, username: true, started_at: true })
export type OpenTool = z.infer<typeof OpenTool>

export const listOpenTools = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/remotesessions/open/',
  access: 'can_use_mesh',
  summary: 'List users with an open terminal, desktop or VNC session on a machine, longest first',
  params: z.object({ agent_id: AgentId }),
  response: z.array(OpenTool),
})
