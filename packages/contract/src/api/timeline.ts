import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId, AgentParams, Instant } from '../fields.ts'
import { Severity } from '../severity.ts'

/**
 * A check that fails; an alert that is not a check's; a command or script; a run of a task; a start of the system;
 * another version of its system, agent or software, other hardware; a change by a person; maintenance mode; results of checks
 * that the machine had to drop; a person at one of its remote tools.
 */
export const TimelineKind = z.enum([
  'check',
  'alert',
  'run',
  'task',
  'reboot',
  'system',
  'change',
  'maintenance',
  'dropped',
  'remote',
])
export type TimelineKind = z.infer<typeof TimelineKind>

export const TimelineEntry = z.object({
  kind: TimelineKind,
  /** Unix seconds. */
  from: z.int(),
  /** Null = it still lasts. A moment ends when it begins. */
  to: z.int().nullable(),
  text: z.string(),
  /** How bad it is; null = it is no trouble. */
  severity: Severity.nullable(),
  /** Who did it; empty = nobody did. */
  by: z.string(),
  /** Number of the check, alert, run or audit row. */
  id: z.int().nullable(),
})
export type TimelineEntry = z.infer<typeof TimelineEntry>

/** Of each kind; the newest of a range. */
export const MOST_OF_KIND = 200

export const getTimeline = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/timeline/',
  access: 'can_list_agents',
  summary:
    'What happened on a machine between two moments, newest first; of checks, alerts, runs, changes and sessions of remote tools only what the caller may list',
  params: z.object({ agent_id: AgentId }),
  query: z.object({
    /** Unix seconds. */
    from: z.coerce.number().int().min(0),
    to: z.coerce.number().int().min(0),
  }),
  response: z.object({
    entries: z.array(TimelineEntry),
    /** Kinds of which there are more than MOST_OF_KIND in the range. */
    cut: z.array(TimelineKind),
  }),
})

export const listDroppedResults = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/checks/dropped/',
  access: 'can_list_checks',
  summary:
    'Results of checks that a machine had to drop, as the server was away for longer than it keeps them: of the last 30 days, newest first',
  params: AgentParams,
  response: z.array(z.object({ from: Instant, to: Instant, count: z.int() })),
})
