import type { ChannelEnd } from '@muster/contract/agent/channel'
import type { JoinMode, TerminalNews, TerminalPerson } from '@muster/contract/channels'
import type { Channel } from '../channels/channel.ts'

/** Of one terminal. */
const MOST_GUESTS = 8
/** Before all of it comes again. */
const RESET = Buffer.from('\u001bc')

export interface Guest {
  /** The session of this visit. */
  visit: string
  name: string
  mode: JoinMode
  channel: Channel
}

export interface GuestsOptions {
  /** What the terminal wrote last. */
  readAll: () => Buffer
  /** Typed by who may. */
  write: (bytes: Buffer, onTaken: () => void) => void
  /** Somebody came or went. */
  onChange: () => void
  onLeft: (visit: string, reason: string) => void
}

/** Colleagues in somebody's terminal. None of them can hold it up: who reads too slowly misses something, and is shown anew. */
export class Guests {
  #options: GuestsOptions
  #guests = new Map<string, Guest>()
  /** With what was told last of each kind meanwhile. */
  #behind = new Map<Guest, Map<TerminalNews['type'], TerminalNews>>()

  constructor(options: GuestsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#guests.size
  }

  listPeople(): TerminalPerson[] {
    return [...this.#guests.values()].map(({ name, mode }) => ({ name, role: mode, here: true }))
  }

  listVisits(): string[] {
    return [...this.#guests.keys()]
  }

  has(visit: string): boolean {
    return this.#guests.has(visit)
  }

  /** False = there are too many. `greeting` comes before what the terminal wrote last. */
  admit(guest: Guest, greeting: TerminalNews[]): boolean {
    if (this.#guests.size >= MOST_GUESTS) return false
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
      // The size is that of its owner's window.
      onText: () => {},
      onDrain: () => this.#catchUp(guest),
      onEnd: ({ message }) => this.#forget(guest, message),
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

  tell(news: TerminalNews): void {
    for (const guest of this.#guests.values()) {
      // A size is worth nothing beside the next one, and who does not read would be kept all of them.
      const missed =
        this.#behind.get(guest) ??
        (guest.channel.isFull ? new Map<TerminalNews['type'], TerminalNews>() : undefined)
      if (missed === undefined || news.type === 'exit') guest.channel.sendText(news)
      else this.#behind.set(guest, missed.set(news.type, news))
    }
  }

  /** One of them leaves; its channel is told why. */
  end(visit: string, end: ChannelEnd): void {
    const guest = this.#guests.get(visit)
    if (guest === undefined) return
    guest.channel.end(end)
    this.#forget(guest, end.message)
  }

  endAll(end: ChannelEnd): void {
    for (const visit of this.listVisits()) this.end(visit, end)
  }

  #catchUp(guest: Guest): void {
    const missed = this.#behind.get(guest)
    if (missed === undefined) return
    this.#behind.delete(guest)
    for (const news of missed.values()) guest.channel.sendText(news)
    guest.channel.sendData(RESET)
    guest.channel.sendData(this.#options.readAll())
  }

  #forget(guest: Guest, reason: string): void {
    this.#behind.delete(guest)
    if (!this.#guests.delete(guest.visit)) return
    this.#options.onLeft(guest.visit, reason)
    this.#options.onChange()
  }
}
