import { randomBytes } from 'node:crypto'
import {
  type CommandInput,
  type CommandName,
  type CommandPayload,
  commandProof,
  type SignedCommand,
} from '@muster/contract/agent/commands'
import type { SigningKey } from './keys.ts'

export interface CommandOrder<Name extends CommandName = CommandName> {
  agentId: string
  name: Name
  input: CommandInput<Name>
  author: string
  expiresAt: string
  /** Repeated when a run is sent again, so that the agent runs it once. */
  nonce: string
  historyId: number | null
}

/** Signs a command with the server's command key, which the agent pinned at enrolment. */
export function signCommand<Name extends CommandName>(
  key: SigningKey,
  order: CommandOrder<Name>,
  now: Date,
): SignedCommand {
  const payload: CommandPayload = {
    protocol: 1,
    agent_id: order.agentId,
    author: order.author,
    issued_at: now.toISOString(),
    expires_at: order.expiresAt,
    nonce: order.nonce,
    history_id: order.historyId,
    name: order.name,
    input: order.input,
  }
  const text = JSON.stringify(payload)
  return { payload: text, signature: key.sign(commandProof(text)), person_signature: null }
}

export function newNonce(): string {
  return randomBytes(18).toString('base64url')
}
