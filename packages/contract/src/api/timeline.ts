import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId, AgentParams, Instant, Severity } from '../fields.ts'

/**
 * A failing check; an alert of another kind; a command or script; an action of a job without a run; a run of a task; a boot; another version of
 * system, agent or software, other hardware; a change by a user; a saved version of a policy of the machine; maintenance
 * mode; dropped check results; a session of a remote tool.
 */
export const TimelineKind = z.enum([
  'check',
  'alert',
  'run',
  'job',
  'task',
  'reboot',
  'system',
  'change',
  'policy',
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
  /** Id of the check, alert, run, job, task, policy or audit row. */
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

/** Possible causes of a problem; checks and alerts are the problem itself. */
export const CHANGE_KINDS = [
  'run',
  'job',
  'reboot',
  'system',
  'change',
  'policy',
  'remote',
] as const satisfies readonly TimelineKind[]

export const listMachineChanges = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/changes/',
  access: 'can_list_agents',
  summary:
    'List what has changed on a machine since a time, newest first, a page at a time: commands, scripts, restarts, software, settings, policies and remote sessions, each only if the caller may list them; `to` is the `next` of the previous response, for older ones',
  params: AgentParams,
  query: z.object({
    /** Unix seconds. */
    from: z.coerce.number().int().min(0),
    /** Default: now. */
    to: z.coerce.number().int().min(0).optional(),
    /** Changes of one second are never divided, so a page may have some more. */
    limit: z.coerce.number().int().min(1).max(MAX_OF_KIND).default(50),
  }),
  response: z.object({
    changes: z.array(TimelineEntry),
    /** Null = there are no older ones since that time. */
    next: z.int().nullable(),
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
