import { z } from 'zod'
import { AgentFacts } from './facts.ts'
import { Hardware } from './hardware.ts'

export const ENROL_PATH = '/agent/enrol/'

/** base64url of a raw 32-byte Ed25519 public key. */
export const PublicKey = z.string().regex(/^[A-Za-z0-9_-]{43}$/)
/** base64url of a 64-byte Ed25519 signature. */
export const Signature = z.string().regex(/^[A-Za-z0-9_-]{86}$/)

/**
 * Sent once by POST. `signature` is made with the private key over
 * `muster-enrol-1\n{token}\n{machine_key}\n{public_key}` and proves that the sender owns the key.
 */
export const EnrolRequest = z.object({
  token: z.string().min(20).max(200),
  public_key: PublicKey,
  /**
   * Hex SHA-256 of machine id and data folder: the same after a reinstallation on the same machine, and on machines
   * whose systems are clones.
   */
  machine_key: z.string().regex(/^[0-9a-f]{64}$/),
  signature: Signature,
  /** Only facts that are known at once; the first report contains the others. */
  facts: AgentFacts.pick({ hostname: true, platform: true, arch: true, agent_version: true }),
  /** Absent = the agent is too old, or its system has none. */
  hardware: Hardware.optional(),
})
export type EnrolRequest = z.infer<typeof EnrolRequest>

export const EnrolResponse = z.object({
  agent_id: z.string(),
  /** The server's command key, which the agent pins. */
  command_key: PublicKey,
  reattached: z.boolean(),
})
export type EnrolResponse = z.infer<typeof EnrolResponse>

export function enrolProof(request: { token: string; machine_key: string; public_key: string }): string {
  return `muster-enrol-1\n${request.token}\n${request.machine_key}\n${request.public_key}`
}
