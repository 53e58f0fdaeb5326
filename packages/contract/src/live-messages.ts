import { z } from 'zod'
import { EVENT_TYPES } from './events.ts'
import { AgentId } from './fields.ts'

/** First message of a console on `/ws/live/`. Later ones are the text `ping`. */
export const LiveHello = z.object({ type: z.literal('hello'), ticket: z.string().min(1).max(200) })

/** Counts of the machines that this user may see. */
export const Counts = z.object({
  total_server_count: z.int(),
  total_server_offline_count: z.int(),
  total_workstation_count: z.int(),
  total_workstation_offline_count: z.int(),
  /** Machines whose link is down, whatever their status. */
  away_count: z.int(),
  /** Not in maintenance. */
  overdue_count: z.int(),
  /** Those without an open alert: see rules/alerts/alert-template. */
  unalerted_server_count: z.int(),
  unalerted_workstation_count: z.int(),
  days_until_cert_expires: z.int().nullable(),
})
export type Counts = z.infer<typeof Counts>

/**
 * Messages from the server to a console: at most one `agents` message a second, other changes by endpoint. Data
 * fetched before `ready` may be outdated and has to be fetched again. Events without ids concern all of their kind.
 * Connects and disconnects of machines are in `agents` only. `last_seen` of a connected machine is always now, and
 * is not sent there.
 */
export const LiveMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), version: z.string() }),
  z.object({
    type: z.literal('changed'),
    events: z.array(z.object({ type: z.enum(EVENT_TYPES), ids: z.array(z.union([z.int(), z.string()])) })),
  }),
  z.object({
    type: z.literal('agents'),
    /** Changed fields of rows of the machines table. */
    changed: z.array(z.looseObject({ agent_id: AgentId })),
    /** Machines that this user sees for the first time, or that moved: fetch the list again. */
    added: z.array(AgentId),
    removed: z.array(AgentId),
    /** Too many changes to list: fetch the list again. */
    all: z.literal(true).optional(),
  }),
  z.object({ type: z.literal('counts'), counts: Counts }),
])
export type LiveMessage = z.infer<typeof LiveMessage>
