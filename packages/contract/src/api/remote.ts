import { z } from 'zod'
import { TerminalDefaults } from '../agent/shells.ts'
import { SessionReceipt } from '../agent/receipts.ts'
import { endpoint } from '../endpoint.ts'
import { AgentId, Instant } from '../fields.ts'

/** A session of a remote tool on a machine: who, when, how it ended, and whether it can be played back. */
export const RemoteSession = z.object({
  id: z.uuid(),
  tool: z.string(),
  /** It was a visit to this session, a colleague's terminal. */
  joined_session: z.uuid().nullable().optional(),
  username: z.string(),
  /** Why it was opened, as this person said. */
  purpose: z.string().nullable().optional(),
  ip_address: z.string(),
  started_at: Instant,
  /** Null while it goes on. */
  ended_at: Instant.nullable(),
  exit_code: z.int().nullable(),
  reason: z.string().nullable(),
  recording: z
    .object({
      /** On disk, compressed and sealed; what is being recorded just now counts when it is over. */
      bytes: z.int(),
      /** Why a part of it is lacking. */
      problem: z.string().nullable(),
    })
    .nullable(),
  /** How much changed on the machine meanwhile; null = it goes on, or the machine has not said. */
  receipt: z.object({ changes: z.int() }).nullable(),
})
export type RemoteSession = z.infer<typeof RemoteSession>

export const listRemoteSessions = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/remotesessions/',
  access: 'can_view_recordings',
  summary: 'The newest 1000 sessions of remote tools on a machine, the newest first',
  params: z.object({ agent_id: AgentId }),
  response: z.array(RemoteSession),
})

/** A terminal that goes on, and that a colleague may join. */
export const OpenTerminal = z.object({ session: z.uuid(), username: z.string(), started_at: Instant })
export type OpenTerminal = z.infer<typeof OpenTerminal>

export const listOpenTerminals = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/terminals/',
  access: 'can_join_terminals',
  summary: 'Terminals of other people that go on at a machine, the oldest first',
  params: z.object({ agent_id: AgentId }),
  response: z.array(OpenTerminal),
})

export const getTerminalDefaults = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/terminal-defaults/',
  access: 'can_use_terminal',
  summary: 'The shells of a machine, and as whom they can be started, as the machine says now',
  params: z.object({ agent_id: AgentId }),
  response: TerminalDefaults,
})

/** Milliseconds since the session began; `o` output, `r` a new size (`80x24`), `m` a remark. */
export const RecordedEvent = z.tuple([z.int(), z.enum(['o', 'r', 'm']), z.string()])
export type RecordedEvent = z.infer<typeof RecordedEvent>

export const RecordingPage = z.object({
  /** The first size of what these events are of. */
  width: z.int(),
  height: z.int(),
  events: z.array(RecordedEvent),
  /** Where to go on; null = this was the last page. */
  next: z.int().nullable(),
})
export type RecordingPage = z.infer<typeof RecordingPage>

export const getRecording = endpoint({
  method: 'GET',
  path: '/remotesessions/:id/recording/',
  access: 'can_view_recordings',
  summary: 'A page of what a session showed. The first one leaves a row in the audit log',
  params: z.object({ id: z.uuid() }),
  query: z.object({ after: z.coerce.number().int().min(0).max(10_000_000).default(0) }),
  response: RecordingPage,
})

/** Milliseconds since the window was opened; `s` bytes of the VNC server, in base64; `p` where the pointer is (`x,y`). */
export const ScreenEvent = z.tuple([z.int(), z.enum(['s', 'p']), z.string()])
export type ScreenEvent = z.infer<typeof ScreenEvent>

export const ScreenRecordingPage = z.object({
  events: z.array(ScreenEvent),
  /** How long all of it is, in milliseconds; null = not known: it goes on, or its server was killed. */
  milliseconds: z.int().nullable(),
  /** Where to go on; null = this was the last page. */
  next: z.int().nullable(),
})
export type ScreenRecordingPage = z.infer<typeof ScreenRecordingPage>

export const getScreenRecording = endpoint({
  method: 'GET',
  path: '/remotesessions/:id/screen/',
  access: 'can_view_recordings',
  summary:
    'A page of what a desktop showed: the stream of RFB from ServerInit on, as docs/protocol.md says. The first one leaves a row in the audit log',
  params: z.object({ id: z.uuid() }),
  query: z.object({ after: z.coerce.number().int().min(0).max(10_000_000).default(0) }),
  response: ScreenRecordingPage,
})

export const getReceipt = endpoint({
  method: 'GET',
  path: '/remotesessions/:id/receipt/',
  access: 'can_view_recordings',
  summary: 'What changed on the machine while a session of a remote tool ran, as the machine has said',
  params: z.object({ id: z.uuid() }),
  response: SessionReceipt,
})

export const OpenTool = RemoteSession.pick({ id: true, tool: true, username: true, started_at: true })
export type OpenTool = z.infer<typeof OpenTool>

export const listOpenTools = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/remotesessions/open/',
  access: 'can_use_mesh',
  summary: 'Who works on a machine with a terminal, its desktop or VNC just now, the longest first',
  params: z.object({ agent_id: AgentId }),
  response: z.array(OpenTool),
})
