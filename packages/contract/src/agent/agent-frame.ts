import { z } from 'zod'
import { Signature } from './enrol.ts'
import { AgentFacts } from './facts.ts'
import { Hardware } from './hardware.ts'
import { Report } from './link.ts'
import { MetricsSample } from './metrics.ts'
import { ProcessSample } from './processes.ts'
import { RulesRevision } from './remote.ts'

/** Frames from an agent. Separate from link.ts, so that agents, which never parse them, do not load them. */
export const AgentFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('answer'),
    signature: Signature,
    protocols: z.array(z.int()).max(20),
    agent_version: z.string().max(50),
    agent_time: z.iso.datetime(),
    /** Runs with further reports: active, or ended with unacknowledged reports. */
    active: z.array(z.int()).max(10_000),
    /** The version of `set-checks` that is stored completely; 0 = none. */
    checks_version: z.int().min(0).optional(),
    /** The same for `set-tasks`. */
    tasks_version: z.int().min(0).optional(),
    /** The number of the last waiting report; 0 = none. */
    last_report: z.int().min(0).optional(),
    /** Open sessions of remote tools. */
    sessions: z.array(z.uuid()).max(1000).optional(),
    /** Revision of its remote rules, empty if it has none; absent = the agent is too old to enforce any. */
    remote_rules: RulesRevision.optional(),
    /** The agent sends its own heartbeats, at the interval in `welcome`. */
    beats: z.boolean().optional(),
    /** The agent can install versions of itself; absent = it is too old, or was not installed by an installer. */
    can_update: z.boolean().optional(),
    /** The agent knows scripts of checks and tasks that run as the signed-in user; absent = it would run them itself. */
    runs_as_user: z.boolean().optional(),
    /** The agent knows `push-file`. */
    pushes_files: z.boolean().optional(),
    /** Another machine with the same key is a copy of this one. */
    hardware: Hardware.optional(),
    /** Names a copy to the users of its original. */
    hostname: AgentFacts.shape.hostname.optional(),
  }),
  z.object({ type: z.literal('report'), seq: z.int().min(1), report: Report }),
  /** Sent each second while a user watches (`watch-metrics`). Neither stored nor acknowledged. */
  z.object({ type: z.literal('live-metrics'), sample: MetricsSample }),
  /** The same for `watch-processes`. */
  z.object({ type: z.literal('live-processes'), look: ProcessSample }),
  /** The reply to a request (replies.ts), or why there is none, as a message. */
  z.object({
    type: z.literal('reply'),
    nonce: z.string().min(16).max(64),
    refused: z.string().max(2000).nullable(),
    answer: z.unknown(),
  }),
  z.object({ type: z.literal('error'), code: z.string().max(50), message: z.string().max(2000) }),
])
export type AgentFrame = z.infer<typeof AgentFrame>

/** Frames of momentary interest: neither stored nor acknowledged. */
export type LiveFrame = Extract<AgentFrame, { type: 'live-metrics' | 'live-processes' | 'reply' }>
