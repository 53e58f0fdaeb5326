import { setTimeout as wait } from 'node:timers/promises'
import type { LogNews, LogSource } from '@muster/contract/agent/logs'
import type { ChannelRoom } from '../../remote/files/channel-room.ts'
import { type EventEntry, eventXpath } from './event-entries.ts'
import { queryEvents } from './query-events.ts'

const LOOK_EVERY_MS = 2000
/** Events that are there when one begins to look. */
const EVENTS_BEFORE = 100
/** Of one look; the next one goes on after them. */
const MOST_AT_ONCE = 500

/** Sends what comes into an event log. Windows tells nobody of it without a program of its own, so it is asked. */
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

/** One line, whatever an event says. */
function writeLine({ line }: EventEntry): string {
  const { at_ms, priority, source, event_id, message } = line
  const text = message.replaceAll(/\s*[\r\n]+\s*/g, ' | ')
  return `${new Date(at_ms).toISOString()} ${priority} ${source} ${event_id ?? ''}: ${text}\n`
}
