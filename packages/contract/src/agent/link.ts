import { z } from 'zod'
import { CheckResult, MAX_RESULTS } from './checks.ts'
import { SignedCommand } from './commands.ts'
import { AgentFacts } from './facts.ts'
import { MetricsInterval, MetricsSample } from './metrics.ts'
import { InstalledPatchReport, PatchReport } from './patches.ts'
import { PowerReport } from './power.ts'
import { SessionChangesReport } from './remote.ts'
import { SoftwareReport } from './software.ts'
import { taskReports } from './tasks.ts'
import { UpdateReport } from './updates.ts'

/** The agent's WebSocket. The upgrade request names the agent in `x-muster-agent`. See docs/protocol.md. */
export const LINK_PATH = '/agent/ws'
export const PROTOCOL_VERSIONS = [1] as const
/** Maximum text frame of either side. A larger one gets an `error` frame, and the link stays open. */
export const MAX_FRAME_BYTES = 2 * 1024 * 1024
/** The limit of `stopping`. Agents never wait longer than that to reconnect. */
export const MAX_RETRY_WITHIN_MS = 30_000
/** Maximum frame before `welcome`: a sign-in with the maximum number of runs and sessions has 210 kB. */
export const MAX_SIGN_IN_BYTES = 256 * 1024
/** Number of invalid frames after which the server closes the link. */
export const MAX_UNREADABLE_FRAMES = 100
/** Frames above this size close the link, because no correct peer sends them. */
export const MAX_SOCKET_BYTES = 16 * 1024 * 1024
/** Interval of heartbeats, sent as unsolicited WebSocket pongs. */
export const AGENT_BEAT_MS = 2500
/** Interval of frames from the server, at least a ping, whose pong replaces every second heartbeat. */
export const SERVER_BEAT_MS = 4500
/** Interval of pings to an agent without heartbeats. */
export const HEARTBEAT_MS = 2000
/** The server closes a link after this time without a frame. */
export const DEAD_AFTER_MS = 4500
/** The agent's timeout is longer: a server that ten thousand machines sign in to at once may delay its pings. */
export const SERVER_DEAD_AFTER_MS = 10_000

/** The text that the agent signs to sign in. */
export function linkProof(agentId: string, nonce: string): string {
  return `muster-link-1\n${agentId}\n${nonce}`
}

export const ServerFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('challenge'),
    nonce: z.string(),
    server_time: z.iso.datetime(),
    protocols: z.array(z.int()),
  }),
  z.object({
    type: z.literal('welcome'),
    protocol: z.int(),
    server_version: z.string(),
    /** Interval of heartbeats. Only for agents that support them. */
    beat_ms: z.int().min(100).optional(),
    /** Interval of metrics samples; absent = unchanged. */
    metrics_interval: MetricsInterval.optional(),
  }),
  /** Settings that have changed since `welcome`. */
  z.object({ type: z.literal('settings'), metrics_interval: MetricsInterval }),
  /** The server stops. Agents reconnect at random times within `retry_within_ms`, so that it can accept all of them. */
  z.object({ type: z.literal('stopping'), retry_within_ms: z.int().min(0).max(MAX_RETRY_WITHIN_MS) }),
  z.object({ type: z.literal('refused'), code: z.string(), message: z.string() }),
  z.object({ type: z.literal('command'), command: SignedCommand }),
  /** Reports up to and including this number are stored; the agent may delete them. */
  z.object({ type: z.literal('ack'), seq: z.int() }),
  z.object({
    type: z.literal('error'),
    code: z.enum(['too_large', 'unreadable', 'unknown_type']),
    message: z.string(),
  }),
])
export type ServerFrame = z.infer<typeof ServerFrame>

const HistoryRef = { history_id: z.int() }

/** The agent stores reports, in order, until the server acknowledges their `seq`. */
export const Report = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('facts'), facts: AgentFacts.partial() }),
  z.object({ kind: z.literal('accepted'), ...HistoryRef, at: z.iso.datetime() }),
  z.object({ kind: z.literal('started'), ...HistoryRef, at: z.iso.datetime() }),
  z.object({
    kind: z.literal('output'),
    ...HistoryRef,
    /** Counts the chunks of one run from 1, so that a repeated one is stored once. */
    chunk: z.int().min(1),
    stream: z.enum(['stdout', 'stderr']),
    text: z.string().max(262_144),
  }),
  z.object({
    kind: z.literal('result'),
    ...HistoryRef,
    at: z.iso.datetime(),
    outcome: z.enum(['exited', 'timed_out', 'cancelled', 'refused', 'failed']),
    /** A message, for every outcome except `exited`. */
    reason: z.string().max(2000).nullable(),
    retcode: z.int().nullable(),
    execution_time: z.number().min(0).nullable(),
    output_cut_bytes: z.number().min(0),
  }),
  z.object({ kind: z.literal('checks'), results: z.array(CheckResult).max(MAX_RESULTS) }),
  /** Metrics of the machine: see metrics.ts. */
  z.object({ kind: z.literal('metrics'), sample: MetricsSample }),
  /** Current checks (`set-checks`) whose definition is missing or has another revision. */
  z.object({ kind: z.literal('checks-missing'), version: z.int(), ids: z.array(z.int()).max(5000) }),
  /** Results that were dropped because the server was offline for longer than the machine stores them. */
  z.object({
    kind: z.literal('checks-dropped'),
    count: z.int().min(1),
    from: z.iso.datetime(),
    to: z.iso.datetime(),
  }),
  /** A session of a remote tool has ended for good. */
  z.object({
    kind: z.literal('session-ended'),
    session: z.uuid(),
    at: z.iso.datetime(),
    exit_code: z.int().nullable(),
    reason: z.string().max(500),
  }),
  /** Sent after `session-ended`, or at the agent's next start. */
  SessionChangesReport,
  SoftwareReport,
  PatchReport,
  InstalledPatchReport,
  UpdateReport,
  PowerReport,
  ...taskReports,
])
export type Report = z.infer<typeof Report>
