import { z } from 'zod'
import { RawPath } from './agent/files.ts'
import { EventLogSource, JournalSource } from './agent/logs.ts'
import { ShellWish } from './agent/shells.ts'
import { DesktopWish, VncTarget } from './desktop.ts'
import type { Permission } from './permissions.ts'

/**
 * A console's own WebSocket for one channel, at `/ws/agent/{agent_id}/channel/`. Its first message is text, a
 * `ChannelHello`; after it both sides speak channel frames (agent/channel.ts) with the channel 0.
 */
export function channelPath(agentId: string): string {
  return `/ws/agent/${agentId}/channel/`
}

export const TerminalSize = z.object({
  cols: z.int().min(2).max(1000),
  rows: z.int().min(1).max(500),
})

/** How somebody takes part in a colleague's terminal. */
export const JoinMode = z.enum(['view', 'type'])
export type JoinMode = z.infer<typeof JoinMode>

/** The session of a colleague's terminal. */
export const TerminalJoin = z.object({ session: z.uuid(), mode: JoinMode })
export type TerminalJoin = z.infer<typeof TerminalJoin>

/** What a person asks for. A `session` is one that is to be gone on with. */
export const ToolRequest = z.discriminatedUnion('tool', [
  z.object({
    tool: z.literal('terminal'),
    session: z.uuid().nullable(),
    ...TerminalSize.shape,
    ...ShellWish.shape,
    /** A colleague's, instead of one of one's own. */
    join: TerminalJoin.optional(),
  }),
  z.object({ tool: z.literal('desktop'), ...DesktopWish.shape }),
  z.object({ tool: z.literal('vnc'), ...VncTarget.shape }),
])
export type ToolRequest = z.infer<typeof ToolRequest>
export type TerminalRequest = Extract<ToolRequest, { tool: 'terminal' }>

/** What is followed: `log` with the right to see logs, `logfile` any file, with the right to files. */
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

/** Files have no window of their own: their channels are opened by requests over HTTP. */
export type ToolName = ToolRequest['tool'] | LogRequest['tool'] | 'files'

/** Why somebody opens a tool, in own words. */
export const Purpose = z.string().trim().min(1).max(300)

export const ChannelHello = z.object({
  type: z.literal('hello'),
  ticket: z.string().min(1).max(200),
  purpose: Purpose.optional(),
  request: z.discriminatedUnion('tool', [ToolRequest, LogRequest]),
})
export type ChannelHello = z.infer<typeof ChannelHello>

/** The answer to the hello, text as well; channel frames follow. */
export const ChannelWelcome = z.object({
  type: z.literal('welcome'),
  /** What this window shows is kept, and can be played back. */
  recorded: z.boolean(),
})
export type ChannelWelcome = z.infer<typeof ChannelWelcome>

export const TOOL_PERMISSIONS: Record<ToolName, Permission> = {
  terminal: 'can_use_terminal',
  desktop: 'can_use_mesh',
  vnc: 'can_use_mesh',
  log: 'can_view_eventlogs',
  logfile: 'can_manage_files',
  files: 'can_manage_files',
}

/** What a terminal's window tells the machine. */
export const TerminalInput = z.object({ type: z.literal('resize'), ...TerminalSize.shape })
export type TerminalInput = z.infer<typeof TerminalInput>

/** Who is in a terminal. Its owner may be away for a while. */
export const TerminalPerson = z.object({
  name: z.string().max(300),
  role: z.enum(['owner', ...JoinMode.options]),
  here: z.boolean(),
})
export type TerminalPerson = z.infer<typeof TerminalPerson>

/** What the machine tells a terminal's window. */
export const TerminalNews = z.discriminatedUnion('type', [
  /** It is there. `resumed`: it was before, and what it wrote last comes again. */
  z.object({
    type: z.literal('opened'),
    session: z.uuid(),
    shell: z.string().max(500),
    user: z.string().max(200),
    resumed: z.boolean(),
    /** Of the web terminal: the host of the server process that this window has reached. */
    host: z.string().max(255).optional(),
  }),
  /** Who is there now, where more than one person is, or was. */
  z.object({ type: z.literal('people'), people: z.array(TerminalPerson).max(20) }),
  /** The size of the owner's window, for the others. */
  z.object({ type: z.literal('size'), ...TerminalSize.shape }),
  /** The shell has ended. */
  z.object({ type: z.literal('exit'), exit_code: z.int().nullable() }),
])
export type TerminalNews = z.infer<typeof TerminalNews>

/** Close codes of this socket beyond the usual ones; why a channel ended is said by its last frame. */
export const CHANNEL_CLOSE = { ticketRefused: 4001, unknownMessage: 4003, over: 4000 } as const
