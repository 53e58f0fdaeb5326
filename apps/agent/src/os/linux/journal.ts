import { type CheckDefinition, JOURNAL_PRIORITIES } from '@muster/contract/agent/checks'
import { MeasureError, NotMeasuredError } from '../../errors.ts'
import { findProgram } from '../../run/find-program.ts'
import { EntryCounter, type FoundEntries, type LogEntry, partFinder } from '../log-entries.ts'
import { firstLine } from '../run-tool.ts'
import { streamTool, TextPieces } from '../stream-tool.ts'

const LIMIT_MS = 20_000
/** Longer messages are skipped. */
const MAX_LINE = 1024 * 1024
const FIELDS = 'MESSAGE,SYSLOG_IDENTIFIER,_COMM,_SYSTEMD_UNIT,MESSAGE_ID,_PID'

type JournalSearch = Extract<CheckDefinition, { check_type: 'journal' }>['settings']

/** Reads the journal backwards until the search or the time limit ends. */
export async function findJournalEntries(search: JournalSearch, signal: AbortSignal): Promise<FoundEntries> {
  if (findProgram('journalctl') === undefined)
    throw new NotMeasuredError('This machine has no journal: journalctl is not installed.')
  const hasPart = partFinder(search.event_message)
  const counter = new EntryCounter(({ message }) => hasPart(message))
  const lines = new TextPieces({ end: '\n', maxLength: MAX_LINE })
  const { code, stderr } = await streamTool('journalctl', journalArgs(search, Date.now()), {
    signal,
    timeoutMs: LIMIT_MS,
    onText: (text) =>
      lines.take(text).every((line) => {
        const entry = parseJournalLine(line)
        return entry === undefined || counter.take(entry)
      }),
  })
  const isBare = counter.end(true).count === 0
  if (/No journal files were (found|opened)/.test(stderr) || (isBare && code !== 0 && code !== null))
    throw new MeasureError(
      `Failed to read the journal: ${firstLine(stderr) || `journalctl exited with code ${code}`}`,
    )
  return counter.end(code !== null)
}

function journalArgs(search: JournalSearch, nowMs: number): string[] {
  const since = Math.floor(nowMs / 1000) - search.search_last_minutes * 60
  return [
    '--output=json',
    `--output-fields=${FIELDS}`,
    '--all',
    '--reverse',
    '--no-pager',
    `--since=@${since}`,
    // A number, because names differ between versions.
    `--priority=${JOURNAL_PRIORITIES.indexOf(search.priority)}`,
    ...(search.unit === null ? [] : [`--unit=${search.unit}`]),
  ]
}

/** A line of `journalctl --output=json`. */
export function parseJournalLine(line: string): LogEntry | undefined {
  const fields = parseFields(line)
  if (fields === undefined) return undefined
  const microseconds = Number(readField(fields, '__REALTIME_TIMESTAMP'))
  if (!(microseconds > 0 && microseconds < 8.64e18)) return undefined
  const source = ['SYSLOG_IDENTIFIER', '_COMM', '_SYSTEMD_UNIT'].map((name) => readField(fields, name))
  return {
    at: new Date(microseconds / 1000),
    source: source.find((name) => name !== '') ?? '',
    eventId: readField(fields, 'MESSAGE_ID') || readField(fields, '_PID'),
    message: readField(fields, 'MESSAGE'),
  }
}

/** The fields of a line of `journalctl --output=json`; undefined if it is invalid. */
export function parseFields(line: string): object | undefined {
  try {
    const fields: unknown = JSON.parse(line)
    return typeof fields === 'object' && fields !== null ? fields : undefined
  } catch {
    // A line that was cut, or a warning of the program.
    return undefined
  }
}

/** A field is a text, or bytes if it is not UTF-8, or a list of either if it is repeated. */
export function readField(fields: object, name: string): string {
  const value = Object.entries(fields).find(([known]) => known === name)?.[1] as unknown
  return textOf(value)
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return ''
  if (value.every((byte) => typeof byte === 'number')) return Buffer.from(value).toString('utf8')
  return value.map(textOf).join('\n')
}
