import type { RecordedEvent } from '@muster/contract/api/remote'

/** Longest pause when a player skips pauses. */
const MAX_PAUSE_MS = 2000
const MAX_HITS = 500
/** Escape sequences and control characters: CSI, OSC, DCS and similar, two-character ones. */
const ORDERS =
  // oxlint-disable-next-line no-control-regex
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[PX^_][^\u001B]*(?:\u001B\\)?|[ -/]*[0-~])|[\u0000-\u0008\u000B-\u001F\u007F]/g

/** A recording during playback: `atMs[n]` is the time of event n, earlier than recorded where pauses are skipped. */
export interface Laid<Event> {
  events: readonly Event[]
  atMs: readonly number[]
  lengthMs: number
}
export type Cast = Laid<RecordedEvent>

export function layOut<Event extends readonly [number, ...unknown[]]>(
  events: readonly Event[],
  { skipPauses }: { skipPauses: boolean },
): Laid<Event> {
  let atMs = 0
  let lastMs = events[0]?.[0] ?? 0
  const times = events.map(([ms]) => {
    // Times of a part from another server may precede those of the part before.
    const pauseMs = Math.max(0, ms - lastMs)
    atMs += skipPauses ? Math.min(pauseMs, MAX_PAUSE_MS) : pauseMs
    lastMs = Math.max(lastMs, ms)
    return atMs
  })
  return { events, atMs: times, lengthMs: atMs }
}

export interface PlainText {
  text: string
  /** The event that wrote the character at an index. */
  eventAt: (index: number) => number
}

/** The text of a recording, without escape sequences. */
export function plainTextOf(events: readonly RecordedEvent[]): PlainText {
  const starts: { raw: number; event: number }[] = []
  let length = 0
  const pieces = events.flatMap(([, kind, text], event) => {
    if (kind !== 'o') return []
    starts.push({ raw: length, event })
    length += text.length
    return [text]
  })
  const raw = pieces.join('')
  const kept: { plain: number; raw: number }[] = []
  let text = ''
  let from = 0
  const keep = (to: number) => {
    if (to > from) {
      kept.push({ plain: text.length, raw: from })
      text += raw.slice(from, to)
    }
  }
  for (const order of raw.matchAll(ORDERS)) {
    keep(order.index)
    from = order.index + order[0].length
  }
  keep(raw.length)
  return {
    text,
    eventAt: (index) => {
      const piece = lastUpTo(kept, ({ plain }) => plain <= index)
      const at = piece === undefined ? 0 : piece.raw + index - piece.plain
      return lastUpTo(starts, (start) => start.raw <= at)?.event ?? 0
    },
  }
}

/** The first five hundred events at whose end the words appear. */
export function findText({ text, eventAt }: PlainText, words: string): number[] {
  const wanted = words.toLowerCase()
  if (wanted === '') return []
  const searched = text.toLowerCase()
  const hits: number[] = []
  for (let at = searched.indexOf(wanted); at >= 0 && hits.length < MAX_HITS;) {
    hits.push(eventAt(at + wanted.length - 1))
    at = searched.indexOf(wanted, at + wanted.length)
  }
  return hits
}

/** The recording in asciicast format. */
export function writeAsciicast(
  events: readonly RecordedEvent[],
  { width, height, startedAt, title }: { width: number; height: number; startedAt: string; title: string },
): string {
  const timestamp = Math.floor(Date.parse(startedAt) / 1000)
  const lines = events.map(([ms, kind, text]) => JSON.stringify([ms / 1000, kind, text]))
  return `${[JSON.stringify({ version: 2, width, height, timestamp, title }), ...lines].join('\n')}\n`
}

/** The last match of a list whose matches are all at the front. */
function lastUpTo<Item>(items: readonly Item[], fits: (item: Item) => boolean): Item | undefined {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const item = items[middle]
    if (item !== undefined && fits(item)) low = middle + 1
    else high = middle
  }
  return items[low - 1]
}
