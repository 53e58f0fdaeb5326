import type { ChannelEnd, ChannelEndCode } from '@muster/contract/agent/channel'
import { TerminalInput, type TerminalNews, type TerminalPerson } from '@muster/contract/channels'
import type { Channel } from '../channels/channel.ts'
import { type Viewer, TerminalViewers } from './viewers.ts'
import { openPty, type Pty, type Size } from './open-pty.ts'
import type { ShellPlan } from './plan-shell.ts'

const BLOCK_BYTES = 16 * 1024
const MAX_BLOCKS = 16
const TO_ALTERNATE = '\u001b[?1049h'
const FROM_ALTERNATE = '\u001b[?1049l'

/** The last 256 KiB of output, for a window that reconnects. */
class Scrollback {
  #blocks: Buffer[] = []
  #filled = 0
  #dropped = false
  /** Whether the dropped output left the terminal on its alternate screen (vim, top). */
  #isAlternate = false

  add(bytes: Buffer): void {
    for (let from = 0; from < bytes.length;) {
      const last = this.#blocks.at(-1)
      if (last === undefined || this.#filled === BLOCK_BYTES) {
        this.#blocks.push(Buffer.allocUnsafe(BLOCK_BYTES))
        this.#filled = 0
        if (this.#blocks.length > MAX_BLOCKS) this.#drop(this.#blocks.shift())
        continue
      }
      const copied = bytes.copy(last, this.#filled, from)
      this.#filled += copied
      from += copied
    }
  }

  /** From the start of a line, if earlier output was dropped. */
  read(): Buffer {
    const last = this.#blocks.at(-1)
    if (last === undefined) return Buffer.alloc(0)
    const whole = Buffer.concat([...this.#blocks.slice(0, -1), last.subarray(0, this.#filled)])
    if (!this.#dropped) return whole
    const screen = Buffer.from(this.#isAlternate ? TO_ALTERNATE : '')
    return Buffer.concat([screen, whole.subarray(whole.indexOf('\n') + 1)])
  }

  #drop(block: Buffer | undefined): void {
    if (block === undefined) return
    this.#dropped = true
    const [there, back] = [block.lastIndexOf(TO_ALTERNATE), block.lastIndexOf(FROM_ALTERNATE)]
    if (there !== back) this.#isAlternate = there > back
  }
}

/** The session waits for its owner after these ends; all others end it. */
const RESUMABLE_ENDS = new Set<ChannelEndCode>([
  'detached',
  'link_lost',
  'server_stopping',
  'failed',
  'over_window',
  'bad_frame',
])

export interface TerminalOptions {
  session: string
  author: string
  /** Display name of the author. */
  person: string
  /** How long it waits for its owner. */
  keepMs: number
  /** Throws AgentError if the shell does not exist. */
  plan: () => Promise<ShellPlan>
  killTree: (pid: number) => Promise<void>
  /** The session and all its processes have ended. */
  onEnded: (exitCode: number | null, reason: string) => void
  /** A viewer has left. */
  onLeft: (visit: string, reason: string) => void
}

/** A shell in a pseudo-terminal, with at most one window of its owner, and further viewers. */
export class Terminal {
  readonly author: string
  #options: TerminalOptions
  readonly guests: TerminalViewers
  #scrollback = new Scrollback()
  #size: Size = { cols: 80, rows: 24 }
  #plan: ShellPlan | undefined
  #pty: Pty | undefined
  /** Input received before the shell was running. */
  #early: ((pty: Pty) => void)[] = []
  #channel: Channel | undefined
  #timer: NodeJS.Timeout | undefined
  #hasExited = false
  #ended: Promise<void> | undefined

  constructor(options: TerminalOptions) {
    this.#options = options
    this.author = options.author
    this.guests = new TerminalViewers({
      readAll: () => this.#scrollback.read(),
      write: (bytes, onTaken) => this.#withPty((pty) => pty.write(bytes, onTaken)),
      onChange: () => this.#sendPeople(),
      onLeft: options.onLeft,
    })
  }

  /** Starts the shell. Throws if that fails. */
  async start(channel: Channel, size: Size): Promise<void> {
    this.#size = size
    this.#show(channel)
    const { session: marker, killTree } = this.#options
    this.#plan = await this.#options.plan()
    const pty = await openPty(
      { plan: this.#plan, marker, size },
      {
        onData: (bytes) => this.#write(bytes),
        onExit: (code) => {
          this.#hasExited = true
          void this.end(code === null ? 'The shell was killed by a signal.' : 'The shell has ended.', code)
        },
      },
    )
    if (this.#ended !== undefined) {
      // It was ended before it started.
      pty.hangUp()
      return killTree(pty.pid)
    }
    this.#pty = pty
    for (const work of this.#early.splice(0)) work(pty)
    // The window may have gone while the module was loading.
    if (this.#channel === undefined) this.#wait()
    this.#sendOpened(false)
  }

  /** Attaches another window, which receives the recent output. */
  attach(channel: Channel, size: Size): void {
    clearTimeout(this.#timer)
    this.#channel?.end({ code: 'closed', message: 'This terminal was opened in another window.' })
    this.#show(channel)
    this.#sendOpened(true)
    channel.sendData(this.#scrollback.read())
    if (this.guests.size > 0) this.#sendPeople()
    this.#setSize(size)
    // Full-screen programs redraw when the size changes.
    this.#pty?.resize({ cols: size.cols, rows: size.rows + 1 })
    this.#pty?.resize(size)
    if (!channel.isFull) this.#pty?.resume()
  }

  /** Adds a viewer, who may be allowed to type. `false` = too many. */
  admit(guest: Viewer): boolean {
    const { shell = '', userName: user = '' } = this.#plan ?? {}
    return this.guests.admit(guest, [
      { type: 'opened', session: guest.visit, shell: shell.slice(0, 500), user, resumed: true },
      { type: 'size', ...this.#size },
    ])
  }

  /** Ends the session and all its processes. */
  end(reason: string, exitCode: number | null = null): Promise<void> {
    this.#ended ??= this.#end(reason, exitCode)
    return this.#ended
  }

  async #end(reason: string, exitCode: number | null): Promise<void> {
    clearTimeout(this.#timer)
    const pty = this.#pty
    if (pty !== undefined) {
      pty.resume()
      if (!this.#hasExited) pty.hangUp()
      // The number may soon belong to another process.
      await this.#options.killTree(this.#hasExited ? 0 : pty.pid)
    }
    this.#send({ type: 'exit', exit_code: exitCode })
    this.guests.broadcast({ type: 'exit', exit_code: exitCode })
    this.guests.endAll({ code: 'ended', message: reason })
    this.#channel?.end({ code: 'ended', message: reason })
    this.#channel = undefined
    this.#options.onEnded(exitCode, reason)
  }

  #show(channel: Channel): void {
    this.#channel = channel
    channel.use({
      onData: (bytes) => this.#withPty((pty) => pty.write(bytes, () => channel.consumed(bytes.length))),
      onText: (message) => this.#obey(message),
      onDrain: () => this.#pty?.resume(),
      onEnd: (end) => this.#onGone(channel, end),
    })
  }

  #withPty(work: (pty: Pty) => void): void {
    if (this.#pty === undefined) this.#early.push(work)
    else work(this.#pty)
  }

  #obey(message: unknown): void {
    const input = TerminalInput.safeParse(message)
    if (!input.success || this.#ended !== undefined) return
    const { cols, rows } = input.data
    this.#setSize({ cols, rows })
    this.#withPty((pty) => pty.resize({ cols, rows }))
  }

  #setSize(size: Size): void {
    this.#size = size
    this.guests.broadcast({ type: 'size', ...size })
  }

  #onGone(channel: Channel, end: ChannelEnd): void {
    // A window that was replaced is ignored.
    if (this.#channel !== channel) return
    this.#channel = undefined
    // Without a reader, the program must not block.
    this.#pty?.resume()
    if (this.guests.size > 0) this.#sendPeople()
    if (RESUMABLE_ENDS.has(end.code)) this.#wait()
    else void this.end(end.message)
  }

  #wait(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      () => void this.end('Closed after ten minutes without a viewer.'),
      this.#options.keepMs,
    )
  }

  #write(bytes: Buffer): void {
    this.#scrollback.add(bytes)
    this.#channel?.sendData(bytes)
    this.guests.send(bytes)
    if (this.#channel?.isFull === true) this.#pty?.pause()
  }

  #sendOpened(resumed: boolean): void {
    const { shell = '', userName: user = '' } = this.#plan ?? {}
    this.#send({ type: 'opened', session: this.#options.session, shell: shell.slice(0, 500), user, resumed })
  }

  #sendPeople(): void {
    const owner: TerminalPerson = {
      name: this.#options.person,
      role: 'owner',
      here: this.#channel !== undefined,
    }
    const news: TerminalNews = { type: 'people', people: [owner, ...this.guests.listPeople()] }
    this.#channel?.sendNewest(news)
    this.guests.broadcast(news)
  }

  #send(news: TerminalNews): void {
    this.#channel?.sendText(news)
  }
}
