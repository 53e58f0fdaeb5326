import { z } from 'zod'
import { AgentId } from './fields.ts'

/** Facts that leave a server process, past tense, ids only. ids of `agent.*` and `software.*` are agent_ids. */
export const EVENT_TYPES = [
  'agent.changed',
  'agent.added',
  'agent.removed',
  'client.changed',
  /** Definition, result or history of checks; ids are those of checks. */
  'check.changed',
  /** What machines are to measure has changed; ids are those of checks whose definition is new. Not told to consoles. */
  'check.redefined',
  /** Definition, result or runs of tasks; ids are those of tasks. */
  'task.changed',
  /** What machines are to run has changed; ids are those of tasks whose definition is new. Not told to consoles. */
  'task.redefined',
  /** Raised, changed or resolved, or something was added to its log. */
  'alert.changed',
  /** A channel, how it does, or how much waits for it. */
  'alert_channel.changed',
  /** A template, or where one is assigned. */
  'alert_template.changed',
  'maintenance.changed',
  /** A policy, or what blocks or gets it; ids are those of policies. */
  'policy.changed',
  'script.changed',
  'keystore.changed',
  /** A definition; values are told of by what they belong to. */
  'customfield.changed',
  /** Machines have looked at what is installed, whatever they saw. */
  'software.looked',
  /** They have seen something else than before. */
  'software.changed',
  /** Machines have looked at what they may install. */
  'patches.looked',
  'history.changed',
  'note.changed',
  /** Planned, called off, or over. */
  'pendingaction.changed',
  /** Sessions of remote tools that began or ended; ids are those of machines. */
  'remote_session.changed',
  /** What holds for remote tools at these machines, or at any; ids are those of machines. */
  'remote_access.changed',
  'audit.added',
  'user.changed',
  'session.ended',
  'settings.changed',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/**
 * An event as it travels between server processes. `agent_ids` lets each console be shown only what its user may see:
 * as many as `ids` and then in pairs with them, or those that all of the ids belong to. Without ids it may be any of
 * the kind. `passing` says of `agent.changed` that only what comes and goes is another (presence, results, free space):
 * nothing that a policy's search or a script's variable looks at.
 */
export const event = z.object({
  type: z.enum(EVENT_TYPES),
  ids: z.array(z.union([z.int(), z.string()])),
  agent_ids: z.array(AgentId).optional(),
  passing: z.literal(true).optional(),
})
export type Event = z.infer<typeof event>

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
  days_until_cert_expires: z.int().nullable(),
})
export type Counts = z.infer<typeof Counts>

/**
 * What the server tells a console: at most one `agents` message a second, data of everything else by its endpoint.
 * What was fetched before `ready` may be out of date and is asked for again. Events without ids mean all of their kind.
 * That a machine came or went is said by `agents` only. `last_seen` of a connected machine is always now, and is not
 * repeated there.
 */
export const LiveMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), version: z.string() }),
  z.object({
    type: z.literal('changed'),
    events: z.array(z.object({ type: z.enum(EVENT_TYPES), ids: event.shape.ids })),
  }),
  z.object({
    type: z.literal('agents'),
    /** Changed fields of rows of the machines table. */
    changed: z.array(z.looseObject({ agent_id: AgentId })),
    /** Machines that this user sees for the first time, or that moved: fetch the list again. */
    added: z.array(AgentId),
    removed: z.array(AgentId),
    /** Too much has changed to be told: fetch the list again. */
    all: z.literal(true).optional(),
  }),
  z.object({ type: z.literal('counts'), counts: Counts }),
])
export type LiveMessage = z.infer<typeof LiveMessage>

/** Close codes of the live socket beyond the usual ones. */
export const LIVE_CLOSE = {
  ticketRefused: 4001,
  silent: 4002,
  unknownMessage: 4003,
  tooSlow: 4008,
  sessionEnded: 4401,
} as const
