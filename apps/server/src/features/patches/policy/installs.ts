import type { Context } from '../../../context.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { findEnded, findWaiting } from './install-rows.ts'
import { readEffective } from './machine-policy.ts'
import { restartMachine } from './restart-machine.ts'
import { settleRun } from './settle-run.ts'
import { startStep } from './start-step.ts'

const AT_ONCE = 200

/**
 * Installs approved patches when the policies of machines say so. An installation is a row with a step: the script
 * before, the patches, the script after, the restart. Each change of a row holds only while it has the state that was
 * read, and a run is written in the transaction that marks the row, so any process may do this at any time and nothing
 * runs twice.
 */
export async function advanceInstalls(ctx: Context, fleet: Fleet, signal?: AbortSignal): Promise<void> {
  await beginDue(ctx)
  for (const row of await findEnded(ctx.db)) {
    signal?.throwIfAborted()
    await settleRun(ctx, fleet, row)
  }
  for (const row of await findWaiting(ctx.db, ctx.now())) {
    signal?.throwIfAborted()
    if (row.step === 'reboot') await restartMachine(ctx, fleet, row)
    else await startStep(ctx, fleet, row)
  }
}

/** Makes a row for each installation whose time has come. Its machine is judged again, which plans the next one. */
async function beginDue(ctx: Context): Promise<void> {
  for (;;) {
    const now = ctx.now().toISOString()
    const due = await ctx.db
      .selectFrom('machine_patch_policies')
      .select(['agent', 'next_at', 'next_until', 'policy'])
      .where('next_at', '<=', now)
      .orderBy('next_at')
      .limit(AT_ONCE)
      .execute()
    for (const { agent, next_at, next_until, policy } of due) {
      if (next_at === null || next_until === null) continue
      await ctx.transaction(async (tx) => {
        const [claimed] = await tx
          .updateTable('machine_patch_policies')
          .set({ next_at: null, next_until: null, judge_at: now })
          .where('agent', '=', agent)
          .where('next_at', '=', next_at)
          .returning('agent')
          .execute()
        if (claimed === undefined) return
        const { scripts } = readEffective(policy)
        await tx
          .insertInto('patch_installs')
          .values({
            agent,
            due_at: next_at,
            until: next_until,
            policy,
            step: (scripts?.value.before ?? null) === null ? 'install' : 'before',
            history_id: null,
            next_at: now,
            ends_at: null,
            state: 'running',
            reason: null,
            finished_at: null,
          })
          .onConflict((conflict) => conflict.columns(['agent', 'due_at']).doNothing())
          .execute()
      })
    }
    if (due.length < AT_ONCE) return
  }
}

/** Deletes ended installations that no screen shows any more, and old results of rings. */
export async function deleteOldInstalls(ctx: Context): Promise<void> {
  const before = new Date(ctx.now().getTime() - KEEP_MS).toISOString()
  await ctx.db.deleteFrom('patch_installs').where('finished_at', '<', before).execute()
  await ctx.db.deleteFrom('ring_patches').where('changed_at', '<', before).execute()
}

const KEEP_MS = 400 * 86_400_000
