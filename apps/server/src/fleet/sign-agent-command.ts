import type { CommandInput, CommandName, SignedCommand } from '@muster/contract/agent/commands'
import { newNonce, signCommand } from '../platform/agent-link/command-sender.ts'
import type { SigningKey } from '../platform/agent-link/keys.ts'

/** A command that is not a run. */
export interface AgentCommand {
  name: CommandName
  input: unknown
  author: string
}

const COMMAND_TTL_MS = 60_000

export function signAgentCommand(
  key: SigningKey,
  now: Date,
  {
    agentId,
    name,
    input,
    author,
    nonce = newNonce(),
  }: AgentCommand & { agentId: string; nonce?: string | undefined },
): SignedCommand {
  return signCommand(
    key,
    {
      agentId,
      name,
      // Checked by the type of sendAgentCommand, and again by the agent.
      input: input as CommandInput<CommandName>,
      author,
      expiresAt: new Date(now.getTime() + COMMAND_TTL_MS).toISOString(),
      nonce,
      historyId: null,
    },
    now,
  )
}
