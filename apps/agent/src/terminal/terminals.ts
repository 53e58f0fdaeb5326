import type { CommandInput } from '@muster/contract/agent/commands'
import type { Channel } from '../channels/channel.ts'
import { describeError, type Log } from '../log/log.ts'
import { MachineRefused } from '../os/machine-refused.ts'
import type { Os } from '../os/os.ts'
import { KeptMarkers } from '../run/kept-markers.ts'
import type { Kept } from '../state/kept.ts'
import type { Outbox } from '../state/outbox.ts'
import type { Terminal } from './terminal.ts'

const KEEP_MS = 10 * 60_000
const MOST_TERMINALS = 16

type OpenInput = CommandInput<'open-channel'>
type TerminalOrder = Extract<OpenInput['tool'], { tool: 'terminal' }>

export interface TerminalsOptions {
  os: Os
  log: Log
  kept: Kept
  outbox: Outbox
  now: () => number
  keepMs?: number | undefined
  onEnded: (session: string) => void
}

/** The terminals of this machine. All of it is loaded with the first one: an agent that is let be has none of it. */
export class Terminals implements AsyncDisposable {
  #options: TerminalsOptions
  #markers: KeptMarkers
  #terminals = new Map<string, Terminal>()
  #isStopped = false

  constructor(options: TerminalsOptions) {
    this.#options = options
    this.#markers = new KeptMarkers({ name: 'terminal_markers', ...options })
  }

  listSessions(): string[] {
    return [...this.#terminals.keys()]
  }

  endInterrupted(): Promise<void> {
    return this.#markers.endInterrupted()
  }

  /** Whether it goes on, and this person began it. */
  has(session: string, author: string): boolean {
    return this.#terminals.get(session)?.author === author
  }

  /** Shows a terminal on a channel: the one that is named, if the same person began it, or a new one. */
  async open(channel: Channel, tool: TerminalOrder, author: string): Promise<void> {
    const { session, resume, cols, rows } = tool
    const known = this.#terminals.get(session)
    if (known !== undefined && known.author === author) return known.attach(channel, { cols, rows })
    if (known !== undefined || resume) {
      const message = 'This terminal has ended. Open a new one.'
      if (known === undefined) this.#report(session, null, 'The machine does not know it any more.')
      return channel.end({ code: 'not_found', message })
    }
    if (this.#isStopped || this.#terminals.size >= MOST_TERMINALS) {
      const message = `This machine has ${this.#terminals.size} terminals open, and opens no more now.`
      this.#report(session, null, message)
      return channel.end({ code: 'too_many', message })
    }
    await this.#begin(channel, tool, author)
  }

  async end(session: string, reason: string): Promise<void> {
    await this.#terminals.get(session)?.end(reason)
  }

  async endAll(reason: string): Promise<void> {
    await Promise.all([...this.#terminals.values()].map((terminal) => terminal.end(reason)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true
    await this.endAll('The agent stopped.')
  }

  async #begin(channel: Channel, tool: TerminalOrder, author: string): Promise<void> {
    const { os, log, keepMs = KEEP_MS } = this.#options
    const { session, cols, rows } = tool
    const [{ Terminal }, { planShell }] = await Promise.all([
      import('./terminal.ts'),
      import('./plan-shell.ts'),
    ])
    const terminal = new Terminal({
      session,
      author,
      keepMs,
      plan: () => planShell(tool, os),
      killTree: (pid) => os.killTree(pid, session),
      onEnded: (exitCode, reason) => {
        if (!this.#terminals.delete(session)) return
        this.#markers.delete(session)
        this.#report(session, exitCode, reason)
      },
    })
    this.#terminals.set(session, terminal)
    this.#markers.add(session)
    try {
      await terminal.start(channel, { cols, rows })
    } catch (cause) {
      const isRefused = cause instanceof MachineRefused
      const message = isRefused ? cause.message : describeError(cause)
      if (!isRefused) log.error({ cause: message }, 'a terminal cannot be opened')
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
