import type { ChannelEnd } from '@muster/contract/agent/channel'
import type { JoinMode, TerminalNews, TerminalPerson } from '@muster/contract/channels'
import type { Channel } from '../channels/channel.ts'

/** Viewers of one terminal. */
const MAX_VIEWERS = 8
/** Delay before a full redraw. */
const RESET = Buffer.from('\u001bc')

export interface Viewer {
  /** The session of this viewer. */
  visit: string
  name: string
  mode: JoinMode
  channel: Channel
}

export interface TerminalViewersOptions {
  /** The recent output of the terminal. */
  readAll: () => Buffer
  /** Input of a viewer who may type. */
  write: (bytes: Buffer, onTaken: () => void) => void
  /** Called when a viewer joins or leaves. */
  onChange: () => void
  onLeft: (visit: string, reason: string) => void
}

/**
 * Viewers of another user's terminal. They cannot slow it down: a viewer that reads too slowly loses output and gets
 * a redraw.
 */
export class TerminalViewers {
  #options: TerminalViewersOptions
  #guests = new Map<string, Viewer>()
  /** With the last message of each kind. */
  #behind = new Map<Viewer, Map<TerminalNews['type'], TerminalNews>>()

  constructor(options: TerminalViewersOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#guests.size
  }

  listPeople(): TerminalPerson[] {
    return [...this.#guests.values()].map(({ name, mode }) => ({ name, role: mode, here: true }))
  }

  listViewerSessions(): string[] {
    return [...this.#guests.keys()]
  }

  has(visit: string): boolean {
    return this.#guests.has(visit)
  }

  /** `false` = too many viewers. `greeting` is sent before the recent output. */
  admit(guest: Viewer, greeting: TerminalNews[]): boolean {
    if (this.#guests.size >= MAX_VIEWERS) return false
    const { channel, visit, mode } = guest
    this.#guests.set(visit, guest)
    for (const news of greeting) channel.sendText(news)
    channel.sendData(this.#options.readAll())
    channel.use({
      onData: (bytes) => {
        const taken = () => channel.consumed(bytes.length)
        if (mode === 'type') this.#options.write(bytes, taken)
        else taken()
      },
      // The size is that of the owner's window.
      onText: () => {},
      onDrain: () => this.#catchUp(guest),
      onEnd: ({ message }) => this.#drop(guest, message),
    })
    this.#options.onChange()
    return true
  }

  send(bytes: Buffer): void {
    for (const guest of this.#guests.values()) {
      if (this.#behind.has(guest)) continue
      if (guest.channel.isFull) this.#behind.set(guest, new Map())
      else guest.channel.sendData(bytes)
    }
  }

  broadcast(news: TerminalNews): void {
    for (const guest of this.#guests.values()) {
      // Only the latest size matters, and a viewer that does not read must not collect all of them.
      const missed =
        this.#behind.get(guest) ??
        (guest.channel.isFull ? new Map<TerminalNews['type'], TerminalNews>() : undefined)
      if (missed === undefined || news.type === 'exit') guest.channel.sendText(news)
      else this.#behind.set(guest, missed.set(news.type, news))
    }
  }

  /** Removes a viewer and ends its channel. */
  end(visit: string, end: ChannelEnd): void {
    const guest = this.#guests.get(visit)
    if (guest === undefined) return
    guest.channel.end(end)
    this.#drop(guest, end.message)
  }

  endAll(end: ChannelEnd): void {
    for (const visit of this.listViewerSessions()) this.end(visit, end)
  }

  #catchUp(guest: Viewer): void {
    const missed = this.#behind.get(guest)
    if (missed === undefined) return
    this.#behind.delete(guest)
    for (const news of missed.values()) guest.channel.sendText(news)
    guest.channel.sendData(RESET)
    guest.channel.sendData(this.#options.readAll())
  }

  #drop(guest: Viewer, reason: string): void {
    this.#behind.delete(guest)
    if (!this.#guests.delete(guest.visit)) return
    this.#options.onLeft(guest.visit, reason)
    this.#options.onChange()
  }
}
