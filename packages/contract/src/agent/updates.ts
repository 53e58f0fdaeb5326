import { isAgentVersion } from '@muster/rules/agents/agent-version'
import { z } from 'zod'

export const AgentVersion = z.string().max(50).refine(isAgentVersion, 'No version of an agent.')
/** Maximum size of the agent's program. */
export const MAX_PROGRAM_BYTES = 16 * 1024 * 1024
/** Time in which a new version must connect and have a report acknowledged. */
export const TRIAL_SECONDS = 120

/**
 * A version of the agent that the server offers. It arrives inside a signed command, so it is signed by the command key,
 * for one agent, once, and for a short time.
 */
export const AgentManifest = z.object({
  version: AgentVersion,
  /** hex SHA-256 of the program. */
  sha256: z.string().regex(/^[\da-f]{64}$/),
  /** Size of the program. It travels with gzip. */
  bytes: z.int().min(1).max(MAX_PROGRAM_BYTES),
  /** Path on the server that the agent is enrolled with. */
  path: z.string().regex(/^\/agent\/[\w./-]{1,200}$/),
  /** The oldest major version of Node that runs it. */
  node: z.int().min(1),
  trial_seconds: z.int().min(1).max(3600),
  /** An older version is installed only with this. */
  rollback: z.boolean(),
})
export type AgentManifest = z.infer<typeof AgentManifest>

/**
 * Progress of an update. `installed`: the new version is on the disk, and the agent restarts with it. `confirmed`: it is
 * connected, and a report was acknowledged. After `failed` and `rolled-back` the earlier version runs.
 */
export const UpdateReport = z.object({
  kind: z.literal('update'),
  version: AgentVersion,
  state: z.enum(['downloading', 'installed', 'confirmed', 'failed', 'rolled-back']),
  at: z.iso.datetime(),
  /** A sentence, for `failed` and `rolled-back`. */
  reason: z.string().max(500).nullable(),
})
