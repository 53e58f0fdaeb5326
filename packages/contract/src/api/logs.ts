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
