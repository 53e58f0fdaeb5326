import type { FoundEntries } from '../os/log-entries.ts'

export function tellEntries({ count, isWhole, entries }: FoundEntries) {
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
