import type { Context } from '../../context.ts'
import type { CheckSync } from './check-sync.ts'

interface Met {
  agentId: string
  checks: { has: number; needs: number }
}

/**
 * Tells machines that have just come up what they are to measure, where they do not know it yet. One that has a later
 * version than ours (the database was put back from a copy) would ignore ours: ours goes beyond it.
 */
export async function meetMachines(
  ctx: Pick<Context, 'db'>,
  sync: CheckSync,
  machines: readonly Met[],
): Promise<void> {
  for (const { agentId, checks } of machines) {
    if (checks.has === checks.needs) continue
    if (checks.has > checks.needs) {
      await ctx.db
        .updateTable('agents')
        .set({ checks_version: Math.min(checks.has, MAX_VERSION) + 1 })
        .where('agent_id', '=', agentId)
        .where('checks_version', '<=', checks.has)
        .execute()
    }
    sync.tell(agentId, [])
  }
}

/** Of the column, minus room to grow. */
const MAX_VERSION = 2_000_000_000
