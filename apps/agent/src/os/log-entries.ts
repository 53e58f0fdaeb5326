import { MAX_LOG_ENTRIES, MAX_LOG_MESSAGE } from '@muster/contract/agent/checks'

export interface LogEntry {
  at: Date
  source: string
  eventId: string
  message: string
}

export interface FoundEntries {
  count: number
  /** False: only the newest part could be read in time. */
  isWhole: boolean
  /** The newest, the newest first. */
  entries: LogEntry[]
}

/** Nobody waits for more than this many, and no check asks for as many. */
const ENOUGH = 100_000

/** Counts entries that come the newest first, and keeps the first of them. */
export class EntryCounter {
  #matches: (entry: LogEntry) => boolean
  #count = 0
  #entries: LogEntry[] = []

  constructor(matches: (entry: LogEntry) => boolean) {
    this.#matches = matches
  }

  /** False: enough has been counted. */
  take(entry: LogEntry): boolean {
    if (!this.#matches(entry)) return true
    this.#count += 1
    if (this.#entries.length < MAX_LOG_ENTRIES) this.#entries.push(cut(entry))
    return this.#count < ENOUGH
  }

  end(isWhole: boolean): FoundEntries {
    return { count: this.#count, isWhole: isWhole && this.#count < ENOUGH, entries: this.#entries }
  }
}

/** Whether a text has this part, upper or lower case; null is part of every text. */
export function partFinder(part: string | null): (text: string) => boolean {
  if (part === null) return () => true
  const wanted = part.toLowerCase()
  return (text) => text.toLowerCase().includes(wanted)
}

function cut({ at, source, eventId, message }: LogEntry): LogEntry {
  return {
    at,
    source: source.slice(0, 255),
    eventId: eventId.slice(0, 64),
    message: message.trim().slice(0, MAX_LOG_MESSAGE),
  }
}
