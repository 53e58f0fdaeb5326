import type { CommandInput } from '@muster/contract/agent/commands'
import type { Log } from '../log/log.ts'
import type { Os } from '../os/os.ts'
import type { KeyValueStore } from '../state/state.ts'
import type { Outbox } from '../state/outbox.ts'
import type { Seal } from '../state/seal.ts'
import type { Channel } from './channels/channel.ts'
import { type ChannelLink, Channels } from './channels/channels.ts'
import { Desktops } from './desktop/desktops.ts'
import { type ChangeRecorder, SessionChanges } from './session-changes/session-changes.ts'
import { Terminals } from './terminal/terminals.ts'
import { Consents } from './consents.ts'
import { RemoteGate } from './remote-gate.ts'

type ToolSession = Extract<CommandInput<'open-channel'>['tool'], { tool: 'terminal' | 'desktop' | 'vnc' }>

interface SessionUser {
  author: string
  person: string | undefined
  reason: string | undefined
  recorded: boolean
}

export interface RemoteToolsOptions {
  link: ChannelLink
  keyValues: KeyValueStore
  seal: Seal
  outbox: Outbox
  os: Os
  log: Log
  /** By the machine's own clock. */
  now: () => number
  zone: () => string
  /** For files of running tools. */
  folder: string
  /** Command line that starts this agent. */
  program: readonly string[]
  /** How long a terminal without a viewer is kept. */
  keepTerminalMs: number | undefined
  snapshotFolder: string
  /** Undefined = sessions record no changes. */
  changeRecorder: ChangeRecorder | undefined
}

/** All remote tools of this machine, and the rules for them. */
export class RemoteTools implements AsyncDisposable {
  readonly channels: Channels
  readonly terminals: Terminals
  readonly desktops: Desktops
  readonly gate: RemoteGate
  #options: RemoteToolsOptions
  #consents: Consents
  #sessionChanges: SessionChanges

  constructor(options: RemoteToolsOptions) {
    this.#options = options
    this.channels = new Channels(options.link)
    this.#sessionChanges = new SessionChanges({
      ...options,
      maker: options.changeRecorder,
      folder: options.snapshotFolder,
    })
    const onEnded = (session: string) => this.#sessionChanges.end(session)
    this.terminals = new Terminals({ ...options, keepMs: options.keepTerminalMs, onEnded })
    this.desktops = new Desktops({ ...options, onEnded })
    this.#consents = new Consents(options)
    this.gate = new RemoteGate({ ...options, closeAll: (reason) => this.#closeAll(reason) })
  }

  /** Opens a terminal or a desktop, after consent of the user at the machine if the rules require it. */
  async open(
    channel: Channel,
    tool: ToolSession,
    { author, person, reason, recorded }: SessionUser,
  ): Promise<void> {
    const { os, log, program } = this.#options
    const { session } = tool
    const rules = this.gate.rules
    const visit = {
      session,
      tool: tool.tool,
      person: plain(person ?? author),
      reason: reason === undefined ? undefined : plain(reason),
      recorded,
    }
    const goesOn =
      tool.tool === 'terminal' &&
      tool.join === undefined &&
      (tool.resume || this.terminals.has(session, author))
    if (!goesOn && !(await this.#consents.admit(channel, visit, rules))) return
    if (!goesOn) this.#sessionChanges.begin(session)
    await (tool.tool === 'terminal'
      ? this.terminals.open(channel, tool, { author, person: visit.person })
      : this.desktops.open(channel, tool))
    // A recorded user is always notified, whatever the rules say about banners.
    const showsBanner = rules.banner || (recorded && tool.tool !== 'terminal')
    if (!showsBanner || goesOn) return
    const { showBanner } = await import('./dialogs.ts')
    const isOver = () => !this.terminals.has(session, author) && !this.desktops.has(session)
    await showBanner(visit, { os, log, program, isOver })
  }

  listSessions(): string[] {
    const parts = [this.terminals, this.desktops, this.#consents]
    return parts.flatMap((part) => part.listSessions())
  }

  /** Ends processes that an earlier process of this agent left behind. */
  async endInterrupted(): Promise<void> {
    const parts = [this.terminals, this.desktops, this.#consents]
    await Promise.all(parts.map((part) => part.endInterrupted()))
    this.#sessionChanges.endInterrupted()
  }

  async end(session: string, reason: string): Promise<void> {
    const parts = [this.terminals, this.desktops, this.#consents]
    await Promise.all(parts.map((part) => part.end(session, reason)))
  }

  async endAll(reason: string): Promise<void> {
    await Promise.all([this.terminals.endAll(reason), this.desktops.endAll(reason)])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.gate[Symbol.dispose]()
    const parts = [this.terminals, this.desktops, this.#consents]
    await Promise.all([...parts, this.#sessionChanges].map((part) => part[Symbol.asyncDispose]()))
  }

  #closeAll(reason: string): void {
    this.channels.endAll({ code: 'not_allowed', message: reason })
    void this.endAll(reason)
  }
}

/** Removes line breaks and bidirectional control characters, which could fake lines of a dialog. */
const plain = (text: string) => text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, ' ')
