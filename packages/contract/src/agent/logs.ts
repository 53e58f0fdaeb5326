import { z } from 'zod'
import { EventId, JOURNAL_PRIORITIES } from './checks.ts'
import { RawPath } from './files.ts'
import { ServiceName } from './services.ts'

/** From the most serious on. */
export const JournalPriority = z.enum(JOURNAL_PRIORITIES)
export type JournalPriority = z.infer<typeof JournalPriority>

export const MOST_ENTRIES = 500
export const LONGEST_MESSAGE = 2000

/** An entry of the system's log; all texts are cut. */
export const LogLine = z.object({
  /** Milliseconds since 1970. */
  at_ms: z.number(),
  priority: JournalPriority,
  source: z.string().max(255),
  unit: z.string().max(255),
  /** 0 = not known. */
  pid: z.int().min(0),
  /** Of an event of Windows. */
  event_id: EventId.optional(),
  message: z.string().max(LONGEST_MESSAGE),
})
export type LogLine = z.infer<typeof LogLine>

/** A log of Windows, such as `System` or `Microsoft-Windows-TaskScheduler/Operational`; no option and no file. */
export const EventLogName = z
  .string()
  .regex(/^[A-Za-z0-9][\w ./()-]{0,254}$/, 'This is no name of an event log.')

/** A place in a log, as the machine that keeps it writes it: journald's cursor, or the number of an event. */
export const LogPlace = z
  .string()
  .max(500)
  .regex(/^[\w=;-]+$/, 'This is no place in a log.')

/** Which entries: of this priority and more serious ones; the times are seconds since 1970. */
export const LogSearch = z.object({
  unit: ServiceName.nullable(),
  priority: JournalPriority,
  since: z.int().min(0).nullable(),
  until: z.int().min(0).nullable(),
  /** A part of the message or the source, upper or lower case. */
  search: z.string().max(255),
  /** Of Windows: absent = `System`. */
  log: EventLogName.optional(),
  event_id: EventId.optional(),
  /** A part of the source's name. */
  source: z.string().max(255).optional(),
  /** Only what is older than this place. */
  before: LogPlace.optional(),
})
export type LogSearch = z.infer<typeof LogSearch>

/**
 * The newest entries that fit, the newest first. `complete`: there are no more; else `next` is the `before` of those
 * behind them, where the machine knows it.
 */
export const FoundLog = z.object({
  entries: z.array(LogLine).max(MOST_ENTRIES),
  complete: z.boolean(),
  next: LogPlace.optional(),
})
export type FoundLog = z.infer<typeof FoundLog>

/** The system's log, as far as it is of this unit, of this priority and more serious. */
export const JournalSource = z.object({
  kind: z.literal('journal'),
  unit: ServiceName.nullable(),
  priority: JournalPriority,
})

/** An event log of Windows, as far as it is of this priority and more serious. */
export const EventLogSource = z.object({
  kind: z.literal('eventlog'),
  log: EventLogName,
  priority: JournalPriority,
})

/** What is followed. A file that may not be anywhere has to be below the folder for logs, links resolved. */
export const LogSource = z.discriminatedUnion('kind', [
  JournalSource,
  EventLogSource,
  z.object({ kind: z.literal('file'), path: RawPath, anywhere: z.boolean() }),
])
export type LogSource = z.infer<typeof LogSource>

/** What a machine tells of a log that is followed, beside its bytes. */
export const LogNews = z.discriminatedUnion('type', [
  z.object({ type: z.literal('following'), name: z.string().max(4096) }),
  /** It was written faster than it was read. */
  z.object({ type: z.literal('skipped'), bytes: z.number().min(0) }),
  /** The file was emptied, and is read from its beginning. */
  z.object({ type: z.literal('truncated') }),
  /** Another file has its name now, and is read from its beginning. */
  z.object({ type: z.literal('rotated') }),
])
export type LogNews = z.infer<typeof LogNews>
