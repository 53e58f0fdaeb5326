import type { CommandInput } from '@muster/contract/agent/commands'
import type { TerminalJoin } from '@muster/contract/channels'
import type { Channel } from '../channels/channel.ts'
import { describeError, type Log } from '../../log/log.ts'
import { AgentError } from '../../errors.ts'
import type { Os } from '../../os/os.ts'
import { ProcessMarkers } from '../../run/process-markers.ts'
import type { KeyValueStore } from '../../state/state.ts'
import type { Outbox } from '../../state/outbox.ts'
import type { Terminal } from './terminal.ts'

const KEEP_MS = 10 * 60_000
const MAX_TERMINALS = 16
const MAX_REPORTED_SESSIONS = 16

type OpenInput = CommandInput<'open-channel'>
type TerminalSession = Extract<OpenInput['tool'], { tool: 'terminal' }>

export interface TerminalViewer {
  author: string
  /** Display name of the author. */
  person: string
}

export interface TerminalsOptions {
  os: Os
  log: Log
  keyValues: KeyValueStore
  outbox: Outbox
  now: () => number
  keepMs?: number | undefined
  onEnded: (session: string) => void
}

/** The terminals of this machine. Loaded on first use to keep idle agents small. */
export class Terminals implements AsyncDisposable {
  #options: TerminalsOptions
  #markers: ProcessMarkers
  #terminals = new Map<string, Terminal>()
  /** Ended viewer sessions that are still listed at the next sign-in: their report may be in flight. */
  #reported: string[] = []
  #isStopped = false

  constructor(options: TerminalsOptions) {
    this.#options = options
    this.#markers = new ProcessMarkers({ name: 'terminal_markers', ...options })
  }

  listSessions(): string[] {
    const visits = [...this.#terminals.values()].flatMap(({ guests }) => guests.listViewerSessions())
    return [...this.#terminals.keys(), ...visits, ...this.#reported]
  }

  endInterrupted(): Promise<void> {
    return this.#markers.endInterrupted()
  }

  /** Whether the session is open and this user started it, or whether this viewer session is open. */
  has(session: string, author: string): boolean {
    const known = this.#terminals.get(session)
    return known === undefined ? this.#findViewed(session) !== undefined : known.author === author
  }

  /** Attaches a channel to an existing terminal if the same user started it, or to a new one. */
  async open(channel: Channel, tool: TerminalSession, visitor: TerminalViewer): Promise<void> {
    const { session, resume, cols, rows } = tool
    const { author } = visitor
    if (tool.join !== undefined) return this.#join(channel, { visit: session, ...tool.join }, visitor)
    const known = this.#terminals.get(session)
    if (known !== undefined && known.author === author) return known.attach(channel, { cols, rows })
    if (known !== undefined || resume) {
      const message = 'This terminal has ended. Open a new one.'
      if (known === undefined) this.#report(session, null, 'The session no longer exists on the machine.')
      return channel.end({ code: 'not_found', message })
    }
    if (this.#isStopped || this.#terminals.size >= MAX_TERMINALS) {
      const message = `This machine already has ${this.#terminals.size} open terminals.`
      this.#report(session, null, message)
      return channel.end({ code: 'too_many', message })
    }
    await this.#begin(channel, tool, visitor)
  }

  async end(session: string, reason: string): Promise<void> {
    this.#findViewed(session)?.guests.end(session, { code: 'closed', message: reason })
    await this.#terminals.get(session)?.end(reason)
  }

  async endAll(reason: string): Promise<void> {
    await Promise.all([...this.#terminals.values()].map((terminal) => terminal.end(reason)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true
    await this.endAll('The agent stopped.')
  }

  #findViewed(visit: string): Terminal | undefined {
    return [...this.#terminals.values()].find(({ guests }) => guests.has(visit))
  }

  #join(
    channel: Channel,
    { visit, session, mode }: TerminalJoin & { visit: string },
    { person }: TerminalViewer,
  ): void {
    const terminal = this.#terminals.get(session)
    if (channel.isOver) return this.#report(visit, null, 'The window was closed.')
    const end = { code: 'not_found', message: 'This terminal has ended.' } as const
    if (terminal === undefined) {
      this.#report(visit, null, end.message)
      return channel.end(end)
    }
    if (terminal.admit({ visit, name: person.slice(0, 300), mode, channel })) return
    const message = 'This terminal has reached the maximum number of viewers.'
    this.#report(visit, null, message)
    channel.end({ code: 'too_many', message })
  }

  async #begin(channel: Channel, tool: TerminalSession, { author, person }: TerminalViewer): Promise<void> {
    const { os, log, keepMs = KEEP_MS } = this.#options
    const { session, cols, rows } = tool
    const [{ Terminal }, { planShell }] = await Promise.all([
      import('./terminal.ts'),
      import('./plan-shell.ts'),
    ])
    const terminal = new Terminal({
      session,
      author,
      person: person.slice(0, 300),
      keepMs,
      plan: () => planShell(tool, os),
      killTree: (pid) => os.killTree(pid, session),
      onEnded: (exitCode, reason) => {
        if (!this.#terminals.delete(session)) return
        this.#markers.delete(session)
        this.#report(session, exitCode, reason)
      },
      onLeft: (visit, reason) => {
        this.#reported = [...this.#reported, visit].slice(-MAX_REPORTED_SESSIONS)
        this.#report(visit, null, reason)
      },
    })
    this.#terminals.set(session, terminal)
    this.#markers.add(session)
    try {
      await terminal.start(channel, { cols, rows })
    } catch (cause) {
      const isRefused = cause instanceof AgentError
      const message = isRefused ? cause.message : describeError(cause)
      if (!isRefused) log.error({ cause: message }, 'failed to open a terminal')
      channel.end({ code: isRefused ? 'no_shell' : 'failed', message })
      await terminal.end(message)
    }
  }

  #report(session: string, exitCode: number | null, reason: string): void {
    const at = new Date(this.#options.now()).toISOString()
    this.#options.outbox.append({
      kind: 'session-ended',
      session,
      at,
      exit_code: exitCode,
      reason: reason.slice(0, 500),
    })
    this.#options.onEnded(session)
  }
}
