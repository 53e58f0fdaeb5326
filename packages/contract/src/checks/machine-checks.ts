import { readEventId } from '@muster/rules/checks/logs'
import { z } from 'zod'
import { measureSettings } from '../agent/checks.ts'
import { Severity } from '../fields.ts'

const alert_severity = Severity.default('warning')
const ProcessCount = z.int().min(0).max(100_000)

/** Checks whether something exists, and how much of it. */
export const presenceCheckFields = {
  process: z.object({
    process_name: measureSettings.process.shape.process_name,
    expect: z.enum(['running', 'not_running']).default('running'),
    /** Minimum and maximum number; maximum 0 = any. */
    min_count: ProcessCount.min(1).default(1),
    max_count: ProcessCount.default(0),
    /** Total; 0 = any. */
    max_memory_mb: z.int().min(0).max(100_000_000).default(0),
    alert_severity,
  }),
  file: z.object({
    path: measureSettings.file.shape.path,
    expect: z.enum(['exists', 'missing']).default('exists'),
    /** 0 = any. */
    max_age_minutes: z.int().min(0).max(100_000_000).default(0),
    max_size_mb: z.int().min(0).max(100_000_000).default(0),
    alert_severity,
  }),
} as const

export const ProcessCheck = presenceCheckFields.process
  .extend({ check_type: z.literal('process') })
  .superRefine(({ min_count, max_count }, issues) => {
    if (max_count === 0 || max_count >= min_count) return
    issues.addIssue({ code: 'custom', path: ['max_count'], message: `Not less than ${min_count}.` })
  })

const Name = z.string().trim().min(1, 'A name is needed.').max(255)
const { eventlog, journal } = measureSettings
const logFields = {
  name: Name,
  fail_when: z.enum(['contains', 'not_contains']).default('contains'),
  /** Number of matching entries that `fail_when` applies to. */
  number_of_events_b4_alert: z.int().min(1).max(10_000).default(1),
  alert_severity: Severity.default('warning'),
}

/** Checks that search a log. */
export const logCheckFields = {
  eventlog: z.object({
    ...logFields,
    log_name: eventlog.shape.log_name.default('Application'),
    event_type: eventlog.shape.event_type.default('INFO'),
    event_id_is_wildcard: z.boolean().default(true),
    /** Also accepted as text: a number, or `*` for every event. */
    event_id: eventlog.shape.event_id.default(0),
    event_source: eventlog.shape.event_source.default(null),
    event_message: eventlog.shape.event_message.default(null),
    search_last_days: eventlog.shape.search_last_days.default(1),
  }),
  journal: z.object({
    ...logFields,
    unit: journal.shape.unit.default(null),
    priority: journal.shape.priority.default('err'),
    event_message: journal.shape.event_message.default(null),
    search_last_minutes: journal.shape.search_last_minutes.default(60),
  }),
} as const

/** Reads an event id from text, and derives `event_id_is_wildcard` if it is missing. */
export function normalizeEventId(settings: unknown): unknown {
  if (typeof settings !== 'object' || settings === null) return settings
  if (!('event_id' in settings && 'check_type' in settings && settings.check_type === 'eventlog'))
    return settings
  const { event_id: given } = settings
  const id = typeof given === 'string' ? readEventId(given) : given
  if (id === '*') return { ...settings, event_id: 0, event_id_is_wildcard: true }
  return { event_id_is_wildcard: false, ...settings, event_id: id ?? given }
}
