import { z } from 'zod'
import { EventId, JOURNAL_PRIORITIES } from './checks.ts'
import { RawPath } from './files.ts'

/** Most serious first. */
export const JournalPriority = z.enum(JOURNAL_PRIORITIES)
export type JournalPriority = z.infer<typeof JournalPriority>

export const MAX_LOG_ENTRIES = 500
export const MAX_MESSAGE_CHARACTERS = 2000

/** A unit of systemd, or a pattern for several. */
const UnitFilter = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^\s\p{Cc}/-][^\p{Cc}/]*$/u, 'Invalid unit name')

/** A log entry; all texts are cut. */
export const LogLine = z.object({
  /** Milliseconds since 1970. */
  at_ms: z.number(),
  priority: JournalPriority,
  source: z.string().max(255),
  unit: z.string().max(255),
  /** 0 = unknown. */
  pid: z.int().min(0),
  /** Windows events only. */
  event_id: EventId.optional(),
  message: z.string().max(MAX_MESSAGE_CHARACTERS),
})
export type LogLine = z.infer<typeof LogLine>

/** A Windows log, such as `System` or `Microsoft-Windows-TaskScheduler/Operational`; no option and no file. */
export const EventLogName = z.string().regex(/^[A-Za-z0-9][\w ./()-]{0,254}$/, 'Invalid event log name')

/** A position in a log in the machine's own format: a journald cursor, or the number of an event. */
export const LogPosition = z
  .string()
  .max(500)
  .regex(/^[\w=;-]+$/, 'Invalid log position')

/** Filter for entries: this priority and more serious ones; times are seconds since 1970. */
export const LogSearch = z.object({
  unit: UnitFilter.nullable(),
  priority: JournalPriority,
  since: z.int().min(0).nullable(),
  until: z.int().min(0).nullable(),
  /** Part of the message or the source, case-insensitive. */
  search: z.string().max(255),
  /** Windows only: absent = `System`. */
  log: EventLogName.optional(),
  event_id: EventId.optional(),
  /** Part of the source's name. */
  source: z.string().max(255).optional(),
  /** Only entries before this position. */
  before: LogPosition.optional(),
})
export type LogSearch = z.infer<typeof LogSearch>

/**
 * The newest entries that fit, newest first. `complete`: there are no more; otherwise `next` is the `before` of the
 * next page, if the machine knows it.
 */
export const FoundLog = z.object({
  entries: z.array(LogLine).max(MAX_LOG_ENTRIES),
  complete: z.boolean(),
  next: LogPosition.optional(),
})
export type FoundLog = z.infer<typeof FoundLog>

/** The system log, filtered by unit and priority. */
export const JournalSource = z.object({
  kind: z.literal('journal'),
  unit: UnitFilter.nullable(),
  priority: JournalPriority,
})

/** A Windows event log, filtered by priority. */
export const EventLogSource = z.object({
  kind: z.literal('eventlog'),
  log: EventLogName,
  priority: JournalPriority,
})

/** The log to follow. For roles with limited access, a file has to be below the log folder, with links resolved. */
export const LogSource = z.discriminatedUnion('kind', [
  JournalSource,
  EventLogSource,
  z.object({ kind: z.literal('file'), path: RawPath, anywhere: z.boolean() }),
])
export type LogSource = z.infer<typeof LogSource>

/** Messages about a followed log, beside its bytes. */
export const LogNews = z.discriminatedUnion('type', [
  z.object({ type: z.literal('following'), name: z.string().max(4096) }),
  /** Lines were skipped, because the reader was too slow. */
  z.object({ type: z.literal('skipped'), bytes: z.number().min(0) }),
  /** The file was truncated, and is read from its start. */
  z.object({ type: z.literal('truncated') }),
  /** The file was rotated, and the new one is read from its start. */
  z.object({ type: z.literal('rotated') }),
])
export type LogNews = z.infer<typeof LogNews>
