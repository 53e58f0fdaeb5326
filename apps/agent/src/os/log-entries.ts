import { MAX_LOG_ENTRIES, MAX_LOG_MESSAGE } from '@muster/contract/agent/checks'

export interface LogEntry {
  at: Date
  source: string
  eventId: string
  message: string
}

export interface FoundEntries {
  count: number
  /** `false` = only the newest part was read in time. */
  isWhole: boolean
  /** Newest first. */
  entries: LogEntry[]
}

/** More than any check needs. */
const ENOUGH = 100_000

/** Counts entries that arrive newest first, and keeps the first of them. */
export class EntryCounter {
  #matches: (entry: LogEntry) => boolean
  #count = 0
  #entries: LogEntry[] = []

  constructor(matches: (entry: LogEntry) => boolean) {
    this.#matches = matches
  }

  /** `false` = the limit is reached. */
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

/** Case-insensitive. `null` matches every text. */
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

export function describeEntries({ count, isWhole, entries }: FoundEntries) {
  return {
    count,
    is_whole: isWhole,
    entries: entries.map(({ at, source, eventId, message }) => ({
      at: at.toISOString(),
      source,
      event_id: eventId,
      message,
    })),
  }
}
