import type { setOwnSettings } from '@muster/contract/api/policies'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import { AGENT_SETTING_NAMES } from '@muster/rules/policies/policy-settings'
import type { Context } from '../../context.ts'
import { laterThan } from '../../platform/database/later-than.ts'
import { lockRow } from '../../platform/database/lock-row.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { audit } from '../audit/write-audit.ts'
import { readSources } from '../agents/availability.ts'

/** Gives a machine settings of its own, or takes them away: then its policies say, or all is as ever. */
export async function changeOwnSettings(
  ctx: Context,
  caller: Caller,
  { agentId, values }: { agentId: string; values: Parsed<typeof setOwnSettings>['body'] },
): Promise<void> {
  await ctx.transaction(async (tx, emit) => {
    await lockRow(tx, 'agents', 'agent_id', agentId)
    const agent = await requireAgent(tx, agentId, caller)
    const before = readSources(agent)
    const after = { ...before }
    for (const name of AGENT_SETTING_NAMES) {
      const value = values[name]
      // `given` makes the next look at the machine set it, whether or not a policy says anything.
      if (value !== undefined) {
        after[name] = { own: value === null ? undefined : Number(value), given: true }
      }
    }
    const offline = after.offline_time?.own ?? agent.offline_time
    const overdue = after.overdue_time?.own
    if (overdue !== undefined && overdue <= offline) {
      throw new AppError('invalid', 'A machine counts as overdue later than as offline.', {
        fields: { overdue_time: [`More than the ${offline} minutes of "offline".`] },
      })
    }
    await tx
      .updateTable('agents')
      .set({ setting_sources: JSON.stringify(after), modified: laterThan(agent.modified, ctx.now()) })
      .where('agent_id', '=', agentId)
      .execute()
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'agent',
      message: `Changed the own settings of the machine "${agent.hostname}"`,
      before: Object.fromEntries(AGENT_SETTING_NAMES.map((name) => [name, before[name]?.own ?? null])),
      after: values,
      agent,
      at: ctx.now(),
      emit,
    })
    emit({ type: 'agent.changed', ids: [agentId], agent_ids: [agentId] })
  })
}
