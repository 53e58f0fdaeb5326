import { z } from 'zod'
import { Signature } from './enrol.ts'
import { Report } from './link.ts'
import { MetricsSample } from './metrics.ts'
import { ProcessLook } from './processes.ts'
import { RulesRevision } from './remote-rules.ts'

/** What an agent says over its link. Apart from link.ts, so that agents, which never read it, need not keep it in memory. */
export const AgentFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('answer'),
    signature: Signature,
    protocols: z.array(z.int()).max(20),
    agent_version: z.string().max(50),
    agent_time: z.iso.datetime(),
    /** Runs of which reports will still come: at work, or ended with reports that are not acknowledged yet. */
    active: z.array(z.int()).max(10_000),
    /** The version of `set-checks` that is wholly at hand; 0 = none. */
    checks_version: z.int().min(0).optional(),
    /** The same of `set-tasks`. */
    tasks_version: z.int().min(0).optional(),
    /** The number of the last report that waits for the server; 0 = none. */
    last_report: z.int().min(0).optional(),
    /** Sessions of remote tools that have not ended. */
    sessions: z.array(z.uuid()).max(1000).optional(),
    /** The rules for remote tools that it has, empty where it was given none; absent = it is too old to enforce any. */
    remote_rules: RulesRevision.optional(),
    /** It shows life by itself, as often as `welcome` asks for. */
    beats: z.boolean().optional(),
  }),
  z.object({ type: z.literal('report'), seq: z.int().min(1), report: Report }),
  /** While somebody looks (`watch-metrics`), each second. Neither kept nor acknowledged: what is lost is lost. */
  z.object({ type: z.literal('live-metrics'), sample: MetricsSample }),
  /** The same of `watch-processes`. */
  z.object({ type: z.literal('live-processes'), look: ProcessLook }),
  /** The answer to a question (questions.ts), or why there is none, as a sentence. */
  z.object({
    type: z.literal('reply'),
    nonce: z.string().min(16).max(64),
    refused: z.string().max(2000).nullable(),
    answer: z.unknown(),
  }),
  z.object({ type: z.literal('error'), code: z.string().max(50), message: z.string().max(2000) }),
])
export type AgentFrame = z.infer<typeof AgentFrame>

/** What a machine says for this moment only: neither kept nor acknowledged. */
export type LiveFrame = Extract<AgentFrame, { type: 'live-metrics' | 'live-processes' | 'reply' }>
