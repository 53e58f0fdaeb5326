import { z } from 'zod'
import { RawPath } from './agent/files.ts'
import { EventLogSource, JournalSource } from './agent/logs.ts'
import { ShellRequest } from './agent/shells.ts'
import { DesktopRequest, VncTarget } from './desktop.ts'
import type { Permission } from './permissions.ts'

/**
 * The console's WebSocket for one channel, at `/ws/agent/{agent_id}/channel/`. Its first message is a `ChannelHello`
 * as text; after it both sides send channel frames (agent/channel.ts) with the channel 0.
 */
export function channelPath(agentId: string): string {
  return `/ws/agent/${agentId}/channel/`
}

export const TerminalSize = z.object({
  cols: z.int().min(2).max(1000),
  rows: z.int().min(1).max(500),
})

/** How a user joins another user's terminal. */
export const JoinMode = z.enum(['view', 'type'])
export type JoinMode = z.infer<typeof JoinMode>

/** The session of the other user's terminal. */
export const TerminalJoin = z.object({ session: z.uuid(), mode: JoinMode })
export type TerminalJoin = z.infer<typeof TerminalJoin>

/** The requested tool. With `session`, an existing session is resumed. */
export const ToolRequest = z.discriminatedUnion('tool', [
  z.object({
    tool: z.literal('terminal'),
    session: z.uuid().nullable(),
    ...TerminalSize.shape,
    ...ShellRequest.shape,
    /** Another user's terminal instead of an own one. */
    join: TerminalJoin.optional(),
  }),
  z.object({ tool: z.literal('desktop'), ...DesktopRequest.shape }),
  z.object({ tool: z.literal('vnc'), ...VncTarget.shape }),
])
export type ToolRequest = z.infer<typeof ToolRequest>
export type TerminalRequest = Extract<ToolRequest, { tool: 'terminal' }>

/** The log to follow: `log` requires the permission for logs, `logfile` any file, the permission for files. */
export const LogRequest = z.discriminatedUnion('tool', [
  z.object({
    tool: z.literal('log'),
    source: z.discriminatedUnion('kind', [
      JournalSource,
      EventLogSource,
      z.object({ kind: z.literal('file'), path: RawPath }),
    ]),
  }),
  z.object({ tool: z.literal('logfile'), path: RawPath }),
])
export type LogRequest = z.infer<typeof LogRequest>

/** Files have no window: their channels are opened by HTTP requests. */
export type ToolName = ToolRequest['tool'] | LogRequest['tool'] | 'files'

/** The user's reason for opening the tool. */
export const SessionReason = z.string().trim().min(1).max(300)

export const ChannelHello = z.object({
  type: z.literal('hello'),
  ticket: z.string().min(1).max(200),
  purpose: SessionReason.optional(),
  request: z.discriminatedUnion('tool', [ToolRequest, LogRequest]),
})
export type ChannelHello = z.infer<typeof ChannelHello>

/** The response to the hello, as text; channel frames follow. */
export const ChannelAccepted = z.object({
  type: z.literal('welcome'),
  /** This session is recorded. */
  recorded: z.boolean(),
})
export type ChannelAccepted = z.infer<typeof ChannelAccepted>

export const TOOL_PERMISSIONS: Record<ToolName, Permission> = {
  terminal: 'can_use_terminal',
  desktop: 'can_use_mesh',
  vnc: 'can_use_mesh',
  log: 'can_view_eventlogs',
  logfile: 'can_manage_files',
  files: 'can_manage_files',
}

/** Messages from a terminal's window to the machine. */
export const TerminalInput = z.object({ type: z.literal('resize'), ...TerminalSize.shape })
export type TerminalInput = z.infer<typeof TerminalInput>

/** Users in a terminal. Its owner may be disconnected for a while. */
export const TerminalPerson = z.object({
  name: z.string().max(300),
  role: z.enum(['owner', ...JoinMode.options]),
  here: z.boolean(),
})
export type TerminalPerson = z.infer<typeof TerminalPerson>

/** Messages from the machine to a terminal's window. */
export const TerminalNews = z.discriminatedUnion('type', [
  /** The terminal is open. `resumed`: it existed before, and its recent output follows. */
  z.object({
    type: z.literal('opened'),
    session: z.uuid(),
    shell: z.string().max(500),
    user: z.string().max(200),
    resumed: z.boolean(),
    /** For the web terminal: the host of the server process. */
    host: z.string().max(255).optional(),
  }),
  /** Current users, if there are or were several. */
  z.object({ type: z.literal('people'), people: z.array(TerminalPerson).max(20) }),
  /** The size of the owner's window, for the viewers. */
  z.object({ type: z.literal('size'), ...TerminalSize.shape }),
  /** The shell has exited. */
  z.object({ type: z.literal('exit'), exit_code: z.int().nullable() }),
])
export type TerminalNews = z.infer<typeof TerminalNews>

/** Additional close codes of this socket. The last frame says why a channel ended. */
export const CHANNEL_CLOSE = { ticketRefused: 4001, unknownMessage: 4003, over: 4000 } as const
