import type { CheckDefinition } from '@muster/contract/agent/checks'
import { MeasureError } from '../../errors.ts'
import { EntryCounter, type FoundEntries, type LogEntry, partFinder } from '../log-entries.ts'
import { firstLine, runTool } from '../run-tool.ts'
import { streamTool, TextPieces } from '../stream-tool.ts'

const LIMIT_MS = 20_000
const CHECK_LIMIT_MS = 10_000
const MAX_EVENT = 256 * 1024
const DAY_MS = 86_400_000

type EventSearch = Extract<CheckDefinition, { check_type: 'eventlog' }>['settings']

/** Levels, and keyword bits for events of the security log. */
const TYPES: Record<EventSearch['event_type'], string> = {
  INFO: '(Level=0 or Level=4)',
  WARNING: '(Level=3)',
  ERROR: '(Level=1 or Level=2)',
  AUDIT_SUCCESS: 'band(Keywords,9007199254740992)',
  AUDIT_FAILURE: 'band(Keywords,4503599627370496)',
}

/** Reads the log backwards until the search or the time limit ends. */
export async function findWindowsEvents(search: EventSearch, signal: AbortSignal): Promise<FoundEntries> {
  const hasSource = partFinder(search.event_source)
  const hasMessage = partFinder(search.event_message)
  const counter = new EntryCounter(({ source, message }) => hasSource(source) && hasMessage(message))
  const events = new TextPieces({ end: '</Event>', maxLength: MAX_EVENT })
  // UTF-16 on request. Otherwise the output uses the console's code page.
  let isSilent = true
  const { code, stderr } = await streamTool('wevtutil', eventArgs(search), {
    signal,
    timeoutMs: LIMIT_MS,
    encoding: 'utf16le',
    onText: (text) => {
      if (text !== '') isSilent = false
      return events.take(text).every((event) => {
        const entry = parseEvent(event)
        return entry === undefined || counter.take(entry)
      })
    },
  })
  if (code !== 0 && code !== null)
    throw new MeasureError(
      `Failed to read the log ${search.log_name}: ${firstLine(stderr.replaceAll('\0', '')) || `error ${code}`}`,
    )
  const why = code === 0 && isSilent ? await whyNoEvents(search.log_name) : undefined
  if (why !== undefined) throw new MeasureError(why)
  return counter.end(code !== null)
}

/**
 * wevtutil prints nothing if no event matches, and nothing where it does not work. About the log itself it always
 * prints something. Returns the reason in the second case.
 */
export async function whyNoEvents(log: string): Promise<string | undefined> {
  const options = { signal: AbortSignal.timeout(CHECK_LIMIT_MS + 1000), timeoutMs: CHECK_LIMIT_MS }
  const { code, stdout, stderr } = await runTool('wevtutil', ['gli', log], options)
  if (code === 0 && stdout.trim() !== '') return undefined
  return `Failed to read the log ${log}: ${firstLine(stderr) || 'wevtutil printed nothing, not even about the log.'}`
}

export function eventArgs(search: EventSearch): string[] {
  return ['qe', search.log_name, `/q:${eventQuery(search)}`, '/rd:true', '/f:RenderedXml', '/uni:true']
}

/** The search as XPath. Only our own numbers and names are inserted. */
function eventQuery({ event_type, event_id, event_id_is_wildcard, search_last_days: days }: EventSearch) {
  const parts = [
    TYPES[event_type],
    ...(event_id_is_wildcard ? [] : [`(EventID=${event_id})`]),
    ...(days === 0 ? [] : [`TimeCreated[timediff(@SystemTime) <= ${days * DAY_MS}]`]),
  ]
  return `*[System[${parts.join(' and ')}]]`
}

/** Returns the unescaped text of a pattern in an event; empty if missing. */
export function textInEvent(xml: string, pattern: RegExp): string {
  return decode(pattern.exec(xml)?.[1] ?? '')
}

/** An event as XML with its message. Events of uninstalled programs have none; their data is used instead. */
export function parseEvent(xml: string): LogEntry | undefined {
  const find = (pattern: RegExp) => textInEvent(xml, pattern)
  const at = new Date(find(/<TimeCreated\s+SystemTime=["']([^"']+)["']/))
  if (Number.isNaN(at.getTime())) return undefined
  const data = [...xml.matchAll(/<Data(?:\s[^>]*)?>([^<]*)<\/Data>/g)].map(([, text = '']) => decode(text))
  const message = find(/<RenderingInfo[^>]*>[\s\S]*?<Message>([\s\S]*?)(?:<\/Message>|$)/)
  return {
    at,
    source: find(/<Provider\s[^>]*?\bName=["']([^"']*)["']/),
    eventId: find(/<EventID[^>]*>(\d+)</),
    message: message === '' ? data.join(', ') : message,
  }
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

function decode(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,4}));/gi, (whole, hex, decimal, name) => {
    if (typeof name === 'string') return ENTITIES[name] ?? whole
    const code = typeof hex === 'string' ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0x10_ff_ff ? whole : String.fromCodePoint(code)
  })
}
