import { Channels, type ChannelLink } from '../channels/channels.ts'
import { Desktops } from '../desktop/desktops.ts'
import type { Log } from '../log/log.ts'
import type { Os } from '../os/os.ts'
import type { Kept } from '../state/kept.ts'
import type { Outbox } from '../state/outbox.ts'
import type { Seal } from '../state/seal.ts'
import { Terminals } from '../terminal/terminals.ts'
import { RemoteGate } from './remote-gate.ts'

export interface RemoteToolsOptions {
  link: ChannelLink
  kept: Kept
  seal: Seal
  outbox: Outbox
  os: Os
  log: Log
  /** By the machine's own clock. */
  now: () => number
  zone: () => string
  /** For what tools need on disk while they run. */
  folder: string
  /** How long a terminal waits for its person. */
  keepTerminalMs: number | undefined
}

/** All by which people work on this machine from afar, and the rules for it. */
export class RemoteTools implements AsyncDisposable {
  readonly channels: Channels
  readonly terminals: Terminals
  readonly desktops: Desktops
  readonly gate: RemoteGate

  constructor(options: RemoteToolsOptions) {
    this.channels = new Channels(options.link)
    const parts = { ...options, channels: this.channels }
    this.terminals = new Terminals({ ...parts, keepMs: options.keepTerminalMs })
    this.desktops = new Desktops(parts)
    this.gate = new RemoteGate({ ...options, closeAll: (reason) => this.#closeAll(reason) })
  }

  listSessions(): string[] {
    return [...this.terminals.listSessions(), ...this.desktops.listSessions()]
  }

  /** Ends what an earlier process of this agent left behind. */
  async endInterrupted(): Promise<void> {
    await Promise.all([this.terminals.endInterrupted(), this.desktops.endInterrupted()])
  }

  async end(session: string, reason: string): Promise<void> {
    await Promise.all([this.terminals.end(session, reason), this.desktops.end(session, reason)])
  }

  async endAll(reason: string): Promise<void> {
    await Promise.all([this.terminals.endAll(reason), this.desktops.endAll(reason)])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.gate[Symbol.dispose]()
    await Promise.all([this.terminals[Symbol.asyncDispose](), this.desktops[Symbol.asyncDispose]()])
  }

  #closeAll(reason: string): void {
    this.channels.endAll({ code: 'not_allowed', message: reason })
    void this.endAll(reason)
  }
}
