import { MachineRefused } from '../machine-refused.ts'
import { firstLine } from '../run-tool.ts'
import { streamTool } from '../stream-tool.ts'
import { TextPieces } from '../text-pieces.ts'
import { type EventEntry, parseEventEntry } from './event-entries.ts'

const LIMIT_MS = 20_000
const MAX_EVENT = 256 * 1024

/**
 * Reads the events of a log until `onEvent` returns false or the time limit is over. Returns whether it reached the
 * end. Throws MachineRefused with the message of the program.
 */
export async function queryEvents(
  log: string,
  { xpath, args, onEvent }: { xpath: string; args: string[]; onEvent: (entry: EventEntry) => boolean },
): Promise<boolean> {
  let isEnough = false
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
        isEnough = !events.take(text).every((xml) => {
          const entry = parseEventEntry(xml)
          return entry === undefined || onEvent(entry)
        })
        return !isEnough
      },
    },
  )
  if (code !== 0 && code !== null)
    throw new MachineRefused(
      `Failed to read the log ${log}: ${firstLine(stderr.replaceAll('\0', '')) || `error ${code}`}`,
    )
  return code !== null && !isEnough
}
