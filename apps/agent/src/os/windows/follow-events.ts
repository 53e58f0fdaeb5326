import { setTimeout as wait } from 'node:timers/promises'
import type { LogNews, LogSource } from '@muster/contract/agent/logs'
import type { ChannelRoom } from '../../remote/files/channel-room.ts'
import { type EventEntry, eventXpath } from './event-entries.ts'
import { queryEvents } from './query-events.ts'

const LOOK_EVERY_MS = 2000
/** Events shown when a user starts to follow. */
const EVENTS_BEFORE = 100
/** Limit per poll. The next poll continues after them. */
const MOST_AT_ONCE = 500

/**
 * Sends new entries of an event log. Windows has no notification without a program of its own, so the log is polled.
 */
export async function followEvents(
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
  await room.tell({ type: 'following', name: log } satisfies LogNews)
  let last = before.at(-1)
  for (let found = before; ; found = await look(last, [`/c:${MOST_AT_ONCE}`])) {
    if (found.length > 0) await room.send(Buffer.from(found.map(writeLine).join('')))
    last = found.at(-1) ?? last
    if (found.length < MOST_AT_ONCE) await wait(LOOK_EVERY_MS, undefined, { signal: room.gone })
    room.gone.throwIfAborted()
  }
}

/** One line per event. */
function writeLine({ line }: EventEntry): string {
  const { at_ms, priority, source, event_id, message } = line
  const text = message.replaceAll(/\s*[\r\n]+\s*/g, ' | ')
  return `${new Date(at_ms).toISOString()} ${priority} ${source} ${event_id ?? ''}: ${text}\n`
}
