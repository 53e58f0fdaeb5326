import { JOURNAL_PRIORITIES } from '@muster/contract/agent/checks'
import {
  type FoundLog,
  type LogLine,
  LogPosition,
  type LogSearch,
  MAX_MESSAGE_CHARACTERS,
  MAX_LOG_ENTRIES,
} from '@muster/contract/agent/logs'
import { followJournal } from '../../remote/logs/follow-journal.ts'
import { findProgram } from '../../run/find-program.ts'
import { partFinder } from '../log-entries.ts'
import type { LogTools } from '../os.ts'
import { AgentError } from '../../errors.ts'
import { firstLine } from '../run-tool.ts'
import { streamTool, TextPieces } from '../stream-tool.ts'
import { parseFields, readField } from './journal.ts'

const LIMIT_MS = 20_000
/** Longer messages are skipped. */
const MAX_LINE = 1024 * 1024
/** Limit for a reply, and for a message between two server processes. */
const MAX_CHARACTERS = 200_000
const FIELDS = 'MESSAGE,PRIORITY,SYSLOG_IDENTIFIER,_COMM,_SYSTEMD_UNIT,_PID'
/** Lines shown when a user starts to follow. */
const LINES_BEFORE = 200
const NO_EVENT_LOG = 'This machine has a journal and no Windows event logs.'

export const linuxLogTools: LogTools = {
  read: readJournal,
  async follow(room, source) {
    requireJournal()
    if (source.kind === 'eventlog') throw new AgentError(NO_EVENT_LOG)
    const { unit, priority } = source
    const args = ['--follow', `--lines=${LINES_BEFORE}`, '--output=short-iso', '--no-pager', '--quiet']
    return followJournal(room, { name: 'journalctl', args: [...args, ...filterArgs({ unit, priority })] })
  },
}

/** Reads the journal backwards until the reply is full or the time limit is over. */
async function readJournal(search: LogSearch): Promise<FoundLog> {
  requireJournal()
  if (search.log !== undefined) throw new AgentError(NO_EVENT_LOG)
  const hasPart = partFinder(search.search)
  const lines = new TextPieces({ end: '\n', maxLength: MAX_LINE })
  const entries: LogLine[] = []
  let characters = 0
  let next: string | undefined
  let isAtStart = false
  let isEnough = false
  const { code, stderr } = await streamTool('journalctl', searchArgs(search), {
    signal: AbortSignal.timeout(LIMIT_MS + 1000),
    timeoutMs: LIMIT_MS,
    onText: (text) => {
      isEnough = !lines.take(text).every((line) => {
        const found = parseEntry(line)
        if (found === undefined) return true
        const { entry, place } = found
        isAtStart = search.before !== undefined && search.since !== null && entry.at_ms < search.since * 1000
        if (isAtStart) return false
        if (hasPart(entry.message) || hasPart(entry.source)) {
          characters += entry.message.length
          if (characters > MAX_CHARACTERS) return false
          entries.push(entry)
        }
        next = place
        return entries.length < MAX_LOG_ENTRIES
      })
      return !isEnough
    },
  })
  const isBare = entries.length === 0
  if (isBare && (/No journal files were (found|opened)/.test(stderr) || (code !== 0 && code !== null)))
    throw new AgentError(
      `Failed to read the journal: ${firstLine(stderr) || `journalctl exited with code ${code}`}`,
    )
  const complete = isAtStart || (code !== null && !isEnough)
  return { entries, complete, ...(complete || next === undefined ? {} : { next }) }
}

function searchArgs({ since, until, before, ...filter }: LogSearch): string[] {
  return [
    '--output=json',
    `--output-fields=${FIELDS}`,
    '--all',
    '--reverse',
    '--no-pager',
    ...filterArgs(filter),
    // journalctl accepts either a time or a cursor. Entries before the cursor are older than `until`.
    ...(before === undefined ? timeArgs({ since, until }) : [`--after-cursor=${before}`]),
  ]
}

function timeArgs({ since, until }: Pick<LogSearch, 'since' | 'until'>): string[] {
  return [...(since === null ? [] : [`--since=@${since}`]), ...(until === null ? [] : [`--until=@${until}`])]
}

function filterArgs({ unit, priority }: Pick<LogSearch, 'unit' | 'priority'>): string[] {
  // A number, because names differ between versions.
  const least = JOURNAL_PRIORITIES.indexOf(priority)
  return [`--priority=${least}`, ...(unit === null ? [] : [`--unit=${unit}`])]
}

function parseEntry(line: string): { entry: LogLine; place: string | undefined } | undefined {
  const fields = parseFields(line)
  if (fields === undefined) return undefined
  const value = (name: string) => readField(fields, name)
  const microseconds = Number(value('__REALTIME_TIMESTAMP'))
  if (!(microseconds > 0 && microseconds < 8.64e18)) return undefined
  const pid = Number(value('_PID'))
  const entry: LogLine = {
    at_ms: Math.floor(microseconds / 1000),
    priority: JOURNAL_PRIORITIES[Number(value('PRIORITY') || 6)] ?? 'info',
    source: (value('SYSLOG_IDENTIFIER') || value('_COMM')).slice(0, 255),
    unit: value('_SYSTEMD_UNIT').slice(0, 255),
    pid: Number.isSafeInteger(pid) && pid > 0 ? pid : 0,
    message: value('MESSAGE').trim().slice(0, MAX_MESSAGE_CHARACTERS),
  }
  return { entry, place: LogPosition.safeParse(value('__CURSOR')).data }
}

function requireJournal(): void {
  if (findProgram('journalctl') === undefined)
    throw new AgentError('This machine has no journal: journalctl is not installed.')
}
