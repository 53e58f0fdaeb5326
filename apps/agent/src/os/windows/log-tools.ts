import { type FoundLog, type LogLine, type LogSearch, MOST_ENTRIES } from '@muster/contract/agent/logs'
import { partFinder } from '../log-entries.ts'
import type { LogTools } from '../log-tools.ts'
import { MachineRefused } from '../machine-refused.ts'
import { eventXpath } from './event-entries.ts'
import { followEvents } from './follow-events.ts'
import { queryEvents } from './query-events.ts'

/** Limit for a reply, and for a message between two server processes. */
const MOST_CHARACTERS = 200_000

/** The Windows event logs, read with wevtutil. */
export const windowsLogTools: LogTools = {
  read: readEvents,
  follow(room, source) {
    if (source.kind === 'journal') throw new MachineRefused('This machine has event logs and no journal.')
    return followEvents(room, source)
  },
}

/** Reads a log backwards until the reply is full or the time limit is over. */
async function readEvents(search: LogSearch): Promise<FoundLog> {
  if (search.unit !== null) throw new MachineRefused('Event logs have no units.')
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
        if (characters > MOST_CHARACTERS) return false
        entries.push(line)
      }
      next = `${record}`
      return entries.length < MOST_ENTRIES
    },
  })
  return { entries, complete: isWhole, ...(isWhole || next === undefined ? {} : { next }) }
}
