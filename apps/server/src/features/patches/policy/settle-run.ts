import type { Context } from '../../../context.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import type { Db } from '../../../platform/database/database.ts'
import { alertFailure } from './alert-failure.ts'
import { changeInstall, emitInstalls, ended, type EndedInstall, type InstallRow } from './install-rows.ts'
import { type EffectivePatchPolicy, readEffective, ringOwner } from './machine-policy.ts'
import type { InstalledPatch } from './start-step.ts'

/** A failed step is tried once more after this time. */
const AGAIN_MS = 15 * 60_000
const TRIES = 2
/** The machine reports meanwhile whether it has to restart. */
const SETTLES_MS = 2 * 60_000
const HOUR_MS = 3_600_000

/** Moves an installation on after the run of its step has ended. */
export async function settleRun(ctx: Context, fleet: Fleet, row: EndedInstall): Promise<void> {
  const now = ctx.now()
  const policy = readEffective(row.policy)
  const next = judge(row, policy, now)
  await ctx.transaction(async (tx, emit) => {
    if (!(await changeInstall(tx, row, { history_id: null, ...next }))) return
    const isEnd = next.state === 'failed'
    if (isEnd || (row.step === 'install' && isSuccess(row)))
      await alertFailure({ ctx, tx, emit }, { agentId: row.agent_id, failure: isEnd ? whyEnded(next) : null })
    if (row.step === 'install' && (isSuccess(row) || isEnd))
      await recordRing(tx, { row, policy, isSuccess: isSuccess(row), now })
  })
  if (next.step === 'reboot')
    await fleet.sendAgentCommand(row.agent_id, 'report-facts', { input: {}, author: 'server' })
  emitInstalls(ctx, row.agent_id)
}

const whyEnded = ({ reason }: Partial<InstallRow>) => reason ?? 'The reason is unknown.'

const isSuccess = ({ run_state, retcode }: EndedInstall) => run_state === 'done' && (retcode ?? 0) === 0

function judge(row: EndedInstall, policy: EffectivePatchPolicy, now: Date): Partial<InstallRow> {
  const { step, run_state } = row
  const again = (afterMs: number) => ({ next_at: new Date(now.getTime() + afterMs).toISOString() })
  // It never reached the machine, and starts when the machine returns.
  if (run_state === 'expired') return again(0)
  if (isSuccess(row) || step === 'after') {
    const reason = isSuccess(row) ? row.reason : `The script after the installation failed: ${whyFailed(row)}`
    if (step === 'before') return { step: 'install', tries: 0, ...again(0) }
    if (step === 'install' && (policy.scripts?.value.after ?? null) !== null)
      return { step: 'after', tries: 0, reason: null, ...again(0) }
    return endOrRestart(policy, now, step === 'after' ? reason : null)
  }
  const what = step === 'before' ? 'The script before the installation failed: ' : ''
  const reason = `${what}${whyFailed(row)}`
  const tries = row.tries + 1
  const isOver = now.getTime() + AGAIN_MS > Date.parse(row.until)
  if (run_state === 'cancelled' || tries >= TRIES || isOver) return { tries, ...ended(now, 'failed', reason) }
  return { tries, reason, ...again(AGAIN_MS) }
}

function endOrRestart(
  { reboot }: EffectivePatchPolicy,
  now: Date,
  reason: string | null,
): Partial<InstallRow> {
  if (reboot === undefined || reboot.value.when === 'never') return ended(now, 'succeeded', reason)
  return {
    step: 'reboot',
    reason,
    next_at: new Date(now.getTime() + SETTLES_MS).toISOString(),
    ends_at: new Date(now.getTime() + reboot.value.deadline_hours * HOUR_MS).toISOString(),
  }
}

function whyFailed({ run_reason, retcode }: EndedInstall): string {
  return run_reason ?? `It ended with exit code ${retcode ?? 'unknown'}.`
}

interface RingOutcome {
  row: EndedInstall
  policy: EffectivePatchPolicy
  isSuccess: boolean
  now: Date
}

/** The next ring waits for this. */
async function recordRing(
  tx: Db,
  { row, policy: { approval, ring }, isSuccess: hasSucceeded, now }: RingOutcome,
): Promise<void> {
  if (approval === undefined) return
  const at = now.toISOString()
  // Stored by start-step.ts. In a fixed order, so that two processes cannot deadlock.
  const patches = (JSON.parse(row.patches) as InstalledPatch[]).toSorted((a, b) =>
    a.digest < b.digest ? -1 : 1,
  )
  for (const { digest } of patches)
    await tx
      .insertInto('ring_patches')
      .values({
        policy: ringOwner(approval, row.agent),
        ring: ring?.value.ring ?? 1,
        digest,
        succeeded_at: hasSucceeded ? at : null,
        failed: hasSucceeded ? 0 : 1,
        changed_at: at,
      })
      .onConflict((conflict) =>
        conflict.columns(['policy', 'ring', 'digest']).doUpdateSet((eb) => ({
          ...(hasSucceeded
            ? { succeeded_at: eb.fn.coalesce('ring_patches.succeeded_at', eb.val(at)) }
            : { failed: eb('ring_patches.failed', '+', 1) }),
          changed_at: at,
        })),
      )
      .execute()
}
