import type { CommandInput } from '@muster/contract/agent/commands'
import type { Channel } from '../channels/channel.ts'
import { describeError, type Log } from '../../log/log.ts'
import { AgentError } from '../../errors.ts'
import type { Os } from '../../os/os.ts'
import { ProcessMarkers } from '../../run/process-markers.ts'
import type { KeyValueStore } from '../../state/state.ts'
import type { Outbox } from '../../state/outbox.ts'
import type { Desktop, OpenedDesktop } from './desktop.ts'

const MAX_DESKTOPS = 8
/** Ended sessions that are still listed at the next sign-in: the report of their end may be in flight. */
const MAX_REPORTED_SESSIONS = 16

type DesktopSession = Extract<CommandInput<'open-channel'>['tool'], { tool: 'desktop' | 'vnc' }>

export interface DesktopsOptions {
  os: Os
  log: Log
  keyValues: KeyValueStore
  outbox: Outbox
  /** Folder of a password until the VNC server has read it. */
  folder: string
  /** Command line that starts this agent. */
  program: readonly string[]
  now: () => number
  onEnded: (session: string) => void
}

/** The open desktop sessions of this machine. Each has its own VNC server, which ends with the session. */
export class Desktops implements AsyncDisposable {
  #options: DesktopsOptions
  #markers: ProcessMarkers
  #desktops = new Map<string, Desktop>()
  #reported: string[] = []
  #isStopped = false

  constructor(options: DesktopsOptions) {
    this.#options = options
    this.#markers = new ProcessMarkers({ name: 'desktop_markers', ...options })
  }

  has(session: string): boolean {
    return this.#desktops.has(session)
  }

  listSessions(): string[] {
    return [...this.#desktops.keys(), ...this.#reported]
  }

  endInterrupted(): Promise<void> {
    return this.#markers.endInterrupted()
  }

  async open(channel: Channel, tool: DesktopSession): Promise<void> {
    const { session } = tool
    if (this.#desktops.has(session))
      return channel.end({ code: 'refused', message: 'This session is already open.' })
    if (this.#isStopped || this.#desktops.size >= MAX_DESKTOPS) {
      const message = `This machine already has ${this.#desktops.size} open desktop sessions.`
      return channel.end({ code: 'too_many', message })
    }
    const { Desktop, NoVncServer, openDesktop } = await import('./desktop.ts')
    const desktop = new Desktop(channel, (reason) => this.#finish(session, opening, reason))
    const opening = openDesktop(tool, { ...this.#options, signal: desktop.gone })
    this.#desktops.set(session, desktop)
    this.#markers.add(session)
    try {
      const { opened, socket } = await opening
      desktop.show(socket, opened)
    } catch (cause) {
      const message = describeError(cause)
      if (!(cause instanceof AgentError) && !desktop.gone.aborted)
        this.#options.log.error({ cause: message }, 'failed to open a desktop')
      await desktop.end({ code: cause instanceof NoVncServer ? 'no_vnc_server' : 'refused', message })
    }
  }

  async end(session: string, reason: string): Promise<void> {
    await this.#desktops.get(session)?.end({ code: 'closed', message: reason })
  }

  async endAll(reason: string): Promise<void> {
    await Promise.all([...this.#desktops.keys()].map((session) => this.end(session, reason)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true
    await this.endAll('The agent stopped.')
  }

  async #finish(session: string, opening: Promise<OpenedDesktop>, reason: string): Promise<void> {
    // Waits for sessions that are starting, so that they can be ended.
    await Promise.allSettled([opening])
    await this.#options.os.killTree(0, session)
    this.#desktops.delete(session)
    this.#reported = [...this.#reported, session].slice(-MAX_REPORTED_SESSIONS)
    this.#markers.delete(session)
    this.#options.outbox.append({
      kind: 'session-ended',
      session,
      at: new Date(this.#options.now()).toISOString(),
      exit_code: null,
      reason: reason.slice(0, 500),
    })
    this.#options.onEnded(session)
  }
}
