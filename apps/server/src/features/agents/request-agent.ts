import type { CommandInput } from '@muster/contract/agent/commands'
import type { RequestName, Reply } from '@muster/contract/agent/replies'
import type { AuditAction, AuditObject } from '@muster/contract/api/audit'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit, failedTo } from '../audit/write-audit.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgentToAct } from './refuse-server-machine.ts'

/** The caller and the machine of a request. */
export interface AgentRequest {
  fleet: Fleet
  caller: Caller
  agentId: string
}

interface Act<Name extends RequestName> {
  name: Name
  input: CommandInput<Name>
  action: AuditAction
  object_type: AuditObject
  /** The audit sentence. Without a response the outcome is unknown. */
  describe: (answer: Reply<Name> | undefined) => string
  /** Limits what the audit log stores of the request and the response. */
  keep?: (answer: Reply<Name> | undefined) => object
  /** The previous state, as reported in the response. */
  before?: (answer: Reply<Name> | undefined) => unknown
}

/** Sends a request to a machine and writes an audit row, also if the machine refused or did not respond. */
export async function requestAgent<Name extends RequestName>(
  ctx: Context,
  { fleet, caller, agentId }: AgentRequest,
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
  const agent = await requireAgentToAct(ctx.db, agentId, caller)
  const write = (message: string, after: unknown, answer?: Reply<Name>) =>
    ctx.transaction(async (tx, emit) => {
      await audit(tx, { caller, action, object_type, message, before: before?.(answer), after, agent, emit })
    })
  try {
    const answer = await fleet.ask(agent, name, { input, author: caller.username })
    await write(describe(answer), keep(answer), answer)
    return answer
  } catch (error) {
    // Nothing was sent to an offline machine.
    if (error instanceof AppError && error.code !== 'agent_offline')
      await write(failedTo(describe(undefined)), { ...keep(undefined), problem: error.message })
    throw error
  }
}
