import type { JournalPriority, LogLine, LogSearch } from '@muster/contract/agent/logs'
import { MAX_MESSAGE_CHARACTERS } from '@muster/contract/agent/logs'
import { parseEvent, textInEvent } from './event-log.ts'

/** Keyword bits of the security log. */
const AUDIT_FAILURE = 4_503_599_627_370_496n

/** A Windows event and its position in the log. */
export interface EventEntry {
  line: LogLine
  record: number
}

/** Parses one event of `wevtutil qe /f:RenderedXml`; undefined if it is invalid. */
export function parseEventEntry(xml: string): EventEntry | undefined {
  const event = parseEvent(xml)
  if (event === undefined) return undefined
  const number = (pattern: RegExp) => {
    const found = Number(textInEvent(xml, pattern))
    return Number.isSafeInteger(found) && found >= 0 ? found : 0
  }
  const line: LogLine = {
    at_ms: event.at.getTime(),
    priority: priorityOf(
      number(/<Level>(\d+)<\/Level>/),
      textInEvent(xml, /<Keywords>(0x[0-9a-f]+)<\/Keywords>/i),
    ),
    source: event.source.slice(0, 255),
    unit: textInEvent(xml, /<Channel>([^<]*)<\/Channel>/).slice(0, 255),
    pid: number(/<Execution\s[^>]*?\bProcessID=["'](\d+)["']/),
    event_id: Math.min(number(/<EventID[^>]*>(\d+)</), 65_535),
    message: event.message.trim().slice(0, MAX_MESSAGE_CHARACTERS),
  }
  return { line, record: number(/<EventRecordID>(\d+)<\/EventRecordID>/) }
}

/** The filter as XPath. Only our own numbers are inserted. */
export function eventXpath(
  search: Pick<LogSearch, 'priority' | 'since' | 'until' | 'event_id' | 'before'> & {
    /** Events after this one, also if the log was cleared and counts from 1 again. */
    after?: EventEntry
  },
): string {
  const { since, until, event_id, after, before } = search
  const parts = [
    ...levelsOf(search.priority),
    ...(event_id === undefined ? [] : [`(EventID=${event_id})`]),
    ...(since === null ? [] : [`TimeCreated[@SystemTime>='${atMs(since * 1000)}']`]),
    ...(until === null ? [] : [`TimeCreated[@SystemTime<='${atMs(until * 1000)}']`]),
    // A position of another system is not a number.
    ...(before === undefined ? [] : [`(EventRecordID<${Number.parseInt(before, 10) || 0})`]),
    ...(after === undefined
      ? []
      : [`(EventRecordID>${after.record} or TimeCreated[@SystemTime>='${atMs(after.line.at_ms + 1)}'])`]),
  ]
  return parts.length === 0 ? '*' : `*[System[${parts.join(' and ')}]]`
}

const atMs = (milliseconds: number) => new Date(milliseconds).toISOString()

/** Windows has five levels. An audit failure has none, and counts as a warning. */
function priorityOf(level: number, keywords: string): JournalPriority {
  if (level === 1) return 'crit'
  if (level === 2) return 'err'
  if (level === 3) return 'warning'
  if (level === 5) return 'debug'
  return keywords !== '' && (BigInt(keywords) & AUDIT_FAILURE) !== 0n ? 'warning' : 'info'
}

function levelsOf(least: JournalPriority): string[] {
  switch (least) {
    case 'emerg':
    case 'alert':
    case 'crit':
      return ['(Level=1)']
    case 'err':
      return ['(Level=1 or Level=2)']
    case 'warning':
    case 'notice':
      return [`(Level=1 or Level=2 or Level=3 or band(Keywords,${AUDIT_FAILURE}))`]
    case 'info':
      return ['(Level<=4)']
    case 'debug':
      return []
  }
}
