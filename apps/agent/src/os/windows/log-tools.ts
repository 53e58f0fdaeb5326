import {
  type FoundLog,
  type LogLine,
  type LogNews,
  type LogSearch,
  type LogSource,
  MAX_LOG_ENTRIES,
} from '@muster/contract/agent/logs'
import { setTimeout as wait } from 'node:timers/promises'
import { partFinder } from '../log-entries.ts'
import type { LogTools } from '../os.ts'
import { AgentError } from '../../errors.ts'
import type { ChannelRoom } from '../../remote/files/channel-room.ts'
import { firstLine } from '../run-tool.ts'
import { streamTool, TextPieces } from '../stream-tool.ts'
import { type EventEntry, eventXpath, parseEventEntry } from './event-entries.ts'
import { whyNoEvents } from './event-log.ts'

/** Limit for a reply, and for a message between two server processes. */
const MAX_CHARACTERS = 200_000

/** The Windows event logs, read with wevtutil. */
export const windowsLogTools: LogTools = {
  read: readEvents,
  follow(room, source) {
    if (source.kind === 'journal') throw new AgentError('This machine has event logs and no journal.')
    return followEvents(room, source)
  },
}

/** Reads a log backwards until the reply is full or the time limit is over. */
async function readEvents(search: LogSearch): Promise<FoundLog> {
  if (search.unit !== null) throw new AgentError('Event logs have no units.')
  const hasText = partFinder(search.search)
  const hasSource = partFinder(search.source ?? '')
  const entries: LogLine[] = []
  let characters = 0
  let next: string | undefined
  const isWhole = await queryEvents(search.log ?? 'System', {
    xpath: eventXpath(search),
    args: ['/rd:true'],
    onEvent: ({ line, record }) => {
      if (hasSource(line.source) && (hasText(line.message) || hasText(line.source))) {
        characters += line.message.length
        if (characters > MAX_CHARACTERS) return false
        entries.push(line)
      }
      next = `${record}`
      return entries.length < MAX_LOG_ENTRIES
    },
  })
  return { entries, complete: isWhole, ...(isWhole || next === undefined ? {} : { next }) }
}

const LOOK_EVERY_MS = 2000
/** Events shown when a user starts to follow. */
const EVENTS_BEFORE = 100
/** Limit per poll. The next poll continues after them. */
const MAX_EVENTS_PER_POLL = 500

/**
 * Sends new entries of an event log. Windows has no notification without a program of its own, so the log is polled.
 */
async function followEvents(
  room: ChannelRoom,
  { log, priority }: Extract<LogSource, { kind: 'eventlog' }>,
): Promise<never> {
  const look = async (after: EventEntry | undefined, args: string[]) => {
    const found: EventEntry[] = []
    const filter = { priority, since: null, until: null }
    await queryEvents(log, {
      xpath: eventXpath(after === undefined ? filter : { ...filter, after }),
      args,
      onEvent: (entry) => {
        found.push(entry)
        return true
      },
    })
    return found
  }
  const before = (await look(undefined, ['/rd:true', `/c:${EVENTS_BEFORE}`])).toReversed()
  await room.sendMessage({ type: 'following', name: log } satisfies LogNews)
  let last = before.at(-1)
  for (let found = before; ; found = await look(last, [`/c:${MAX_EVENTS_PER_POLL}`])) {
    if (found.length > 0) await room.send(Buffer.from(found.map(writeLine).join('')))
    last = found.at(-1) ?? last
    if (found.length < MAX_EVENTS_PER_POLL) await wait(LOOK_EVERY_MS, undefined, { signal: room.gone })
    room.gone.throwIfAborted()
  }
}

/** One line per event. */
function writeLine({ line }: EventEntry): string {
  const { at_ms, priority, source, event_id, message } = line
  const text = message.replaceAll(/\s*[\r\n]+\s*/g, ' | ')
  return `${new Date(at_ms).toISOString()} ${priority} ${source} ${event_id ?? ''}: ${text}\n`
}

const LIMIT_MS = 20_000
const MAX_EVENT = 256 * 1024

/**
 * Reads the events of a log until `onEvent` returns false or the time limit is over. Returns whether it reached the
 * end. Throws AgentError with the message of the program.
 */
async function queryEvents(
  log: string,
  { xpath, args, onEvent }: { xpath: string; args: string[]; onEvent: (entry: EventEntry) => boolean },
): Promise<boolean> {
  let isEnough = false
  let isSilent = true
  const events = new TextPieces({ end: '</Event>', maxLength: MAX_EVENT })
  // UTF-16 on request. Otherwise the output uses the console's code page.
  const { code, stderr } = await streamTool(
    'wevtutil',
    ['qe', log, `/q:${xpath}`, '/f:RenderedXml', '/uni:true', ...args],
    {
      signal: AbortSignal.timeout(LIMIT_MS + 1000),
      timeoutMs: LIMIT_MS,
      encoding: 'utf16le',
      onText: (text) => {
        if (text !== '') isSilent = false
        isEnough = !events.take(text).every((xml) => {
          const entry = parseEventEntry(xml)
          return entry === undefined || onEvent(entry)
        })
        return !isEnough
      },
    },
  )
  if (code !== 0 && code !== null)
    throw new AgentError(
      `Failed to read the log ${log}: ${firstLine(stderr.replaceAll('\0', '')) || `error ${code}`}`,
    )
  const why = code === 0 && isSilent ? await whyNoEvents(log) : undefined
  if (why !== undefined) throw new AgentError(why)
  return code !== null && !isEnough
}
