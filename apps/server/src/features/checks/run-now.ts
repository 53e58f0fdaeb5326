import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { Fleet } from '../agents/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { findServerChecks, makeDue } from './from-server/run-queries.ts'

/** Runs these checks of a machine, or all, now: its own there, the others here. */
export async function runNow(
  ctx: Context,
  fleet: Fleet,
  asked: { caller: Caller; agentId: string; ids: number[] | undefined },
): Promise<void> {
  const { caller, agentId, ids } = asked
  const agent = await requireAgent(ctx.db, agentId, caller)
  const here = await findServerChecks(ctx.db, agent.agent_id, ids)
  const there = ids?.filter((id) => !here.includes(id))
  const needsMachine = there === undefined ? here.length === 0 : there.length > 0
  if (needsMachine || there === undefined) {
    const input = { ids: there ?? null }
    const sent = await fleet.sendChore(agent.agent_id, 'run-checks', { input, author: caller.username })
    if (!sent && needsMachine) throw new AppError('agent_offline', `${agent.hostname} is not connected.`)
  }
  await makeDue(ctx.db, here, ctx.now())
}
