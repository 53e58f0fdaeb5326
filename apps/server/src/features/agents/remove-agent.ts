import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { writeEnd } from '../remote/end-sessions.ts'
import { listOpenSessions } from '../remote/queries.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgent } from './require-agent.ts'

/**
 * Forgets a machine with its history and notes, after telling its agent to uninstall itself. A machine that is
 * away keeps its program until somebody removes it by hand; its sign-in is refused from now on.
 */
export async function removeAgent(
  ctx: Context,
  fleet: Fleet,
  caller: Caller,
  agentId: string,
): Promise<{ uninstalled: boolean }> {
  const agent = await requireAgent(ctx.db, agentId, caller)
  const uninstalled = await fleet.sendChore(agentId, 'uninstall', { input: {}, author: caller.username })
  await ctx.transaction(async (tx, emit) => {
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'agent',
      message: `Removed the machine "${agent.hostname}"`,
      before: { hostname: agent.hostname, client: agent.client_name, site: agent.site_name, uninstalled },
      agent,
      emit,
    })
    for (const session of await listOpenSessions(tx, { agentIds: [agentId] }))
      await writeEnd({ ctx, tx, emit }, session, { exitCode: null, reason: 'The machine was removed.' })
    await tx.deleteFrom('agents').where('agent_id', '=', agentId).execute()
    emit({ type: 'agent.removed', ids: [agentId], agent_ids: [agentId] })
    // Its alerts are gone with it.
    emit({ type: 'alert.changed', ids: [] })
  })
  await fleet.forget(agentId)
  return { uninstalled }
}
