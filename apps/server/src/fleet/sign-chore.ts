import type { CommandInput, CommandName, SignedCommand } from '@muster/contract/agent/commands'
import { newNonce, signCommand } from '../platform/agent-link/command-sender.ts'
import type { SigningKey } from '../platform/agent-link/keys.ts'

/** A command that is not a run. */
export interface Chore {
  name: CommandName
  input: unknown
  author: string
}

const CHORE_TTL_MS = 60_000

export function signChore(
  key: SigningKey,
  now: Date,
  {
    agentId,
    name,
    input,
    author,
    nonce = newNonce(),
  }: Chore & { agentId: string; nonce?: string | undefined },
): SignedCommand {
  return signCommand(
    key,
    {
      agentId,
      name,
      // Checked by the type of sendChore, and again by the agent.
      input: input as CommandInput<CommandName>,
      author,
      expiresAt: new Date(now.getTime() + CHORE_TTL_MS).toISOString(),
      nonce,
      historyId: null,
    },
    now,
  )
}
