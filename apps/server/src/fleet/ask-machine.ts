import type { CommandInput } from '@muster/contract/agent/commands'
import type { QuestionName, Reply } from '@muster/contract/agent/replies'
import type { AuditAction, AuditObject } from '@muster/contract/api/audit'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../context.ts'
import type { Caller } from '../platform/http/caller.ts'
import { audit } from '../features/audit/write-audit.ts'
import type { Fleet } from './fleet.ts'
import { requireAgent } from '../features/agents/require-agent.ts'

/** Who asks which machine. */
export interface Asking {
  fleet: Fleet
  caller: Caller
  agentId: string
}

interface Act<Name extends QuestionName> {
  name: Name
  input: CommandInput<Name>
  action: AuditAction
  object_type: AuditObject
  /** What was done, for the audit log; without an answer nobody knows whether it was. */
  describe: (answer: Reply<Name> | undefined) => string
  /** What of the question and the answer is written down, where all of it is too much. */
  keep?: (answer: Reply<Name> | undefined) => object
  /** What was there before, as the answer tells. */
  before?: (answer: Reply<Name> | undefined) => unknown
}

/** Has a machine do something at once, and writes down that it was asked: also when it refused, or did not answer. */
export async function askMachine<Name extends QuestionName>(
  ctx: Context,
  { fleet, caller, agentId }: Asking,
  {
    name,
    input,
    action,
    object_type,
    describe,
    keep = (answer) => ({ ...input, ...answer }),
    before,
  }: Act<Name>,
): Promise<Reply<Name>> {
  const agent = await requireAgent(ctx.db, agentId, caller)
  const write = (message: string, after: unknown, answer?: Reply<Name>) =>
    ctx.transaction(async (tx, emit) => {
      await audit(tx, { caller, action, object_type, message, before: before?.(answer), after, agent, emit })
    })
  try {
    const answer = await fleet.ask(agent, name, { input, author: caller.username })
    await write(describe(answer), keep(answer), answer)
    return answer
  } catch (error) {
    // Nothing was sent to a machine that is away.
    if (error instanceof AppError && error.code !== 'agent_offline')
      await write(`${describe(undefined)}, in vain`, { ...keep(undefined), problem: error.message })
    throw error
  }
}
