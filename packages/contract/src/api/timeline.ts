import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId, AgentParams, Instant, Severity } from '../fields.ts'

/**
 * A failing check; an alert of another kind; a command or script; a run of a task; a boot; another version of
 * system, agent or software, other hardware; a change by a user; maintenance mode; dropped check results; a session
 * of a remote tool.
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
  /** Null = still active. For a moment, the same as the start. */
  to: z.int().nullable(),
  text: z.string(),
  /** Severity; null = not a problem. */
  severity: Severity.nullable(),
  /** User name; empty = no user. */
  by: z.string(),
  /** Id of the check, alert, run or audit row. */
  id: z.int().nullable(),
})
export type TimelineEntry = z.infer<typeof TimelineEntry>

/** Limit per kind; the newest of a range. */
export const MAX_OF_KIND = 200

export const getTimeline = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/timeline/',
  access: 'can_list_agents',
  summary:
    'List the events of a machine between two times, newest first; only checks, alerts, runs, changes and remote sessions that the caller may list',
  params: z.object({ agent_id: AgentId }),
  query: z.object({
    /** Unix seconds. */
    from: z.coerce.number().int().min(0),
    to: z.coerce.number().int().min(0),
  }),
  response: z.object({
    entries: z.array(TimelineEntry),
    /** Kinds with more than MAX_OF_KIND events in the range. */
    cut: z.array(TimelineKind),
  }),
})

export const listDroppedResults = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/checks/dropped/',
  access: 'can_list_checks',
  summary:
    'List check results that a machine has dropped because the server was offline for too long: of the last 30 days, newest first',
  params: AgentParams,
  response: z.array(z.object({ from: Instant, to: Instant, count: z.int() })),
})
