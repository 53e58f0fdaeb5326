import { readEventId } from '@muster/rules/checks/logs'
import { z } from 'zod'
import { EventId } from '../agent/checks.ts'
import { EventLogName, FoundLog, JournalPriority, LogPosition, LogSearch } from '../agent/logs.ts'
import { endpoint } from '../endpoint.ts'
import { AgentParams } from '../fields.ts'

/** `*` selects every event, like a missing value. */
const EventIdFilter = z
  .union([z.string(), z.number()])
  .transform((id) => readEventId(`${id}`) ?? Number.NaN)
  .transform((id) => (id === '*' ? undefined : id))
  .pipe(EventId.optional())
const Seconds = z.coerce.number().int().min(0).max(10_000_000_000)

export const readMachineLog = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/logs/',
  access: 'can_view_eventlogs',
  summary:
    'List the newest log entries of a machine, by unit (systemd) or log and event id (Windows), priority (and more serious ones), time (unix seconds), and parts of source and text; `before` is the `next` of the previous response, for older ones',
  params: AgentParams,
  query: z.object({
    unit: LogSearch.shape.unit.unwrap().optional(),
    priority: JournalPriority.default('debug'),
    since: Seconds.optional(),
    until: Seconds.optional(),
    search: LogSearch.shape.search.default(''),
    log: EventLogName.optional(),
    event_id: EventIdFilter.optional(),
    source: LogSearch.shape.source,
    before: LogPosition.optional(),
  }),
  response: FoundLog,
})

/** As programs know it that were written for the field's reference; `readMachineLog` can do more. */
export const readEventLog = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/eventlog/:log/:days/',
  access: 'can_view_eventlogs',
  summary: 'List the events of a Windows log of the last days, newest first, at most 5,000',
  params: AgentParams.extend({ log: EventLogName, days: z.coerce.number().int().min(1).max(3650) }),
  response: z.array(
    z.object({
      uid: z.int(),
      time: z.string(),
      source: z.string(),
      eventType: z.enum(['ERROR', 'WARNING', 'INFO']),
      /** 0 = it has none. */
      eventID: z.int(),
      message: z.string(),
    }),
  ),
})
