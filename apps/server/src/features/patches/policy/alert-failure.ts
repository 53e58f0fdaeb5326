import type { Subject } from '../../alerts/causes.ts'
import type { TxContext } from '../../alerts/store-alerts.ts'
import { takeFindings } from '../../alerts/take-findings.ts'
import type { HistoryRow } from '../../runs/queries.ts'
import { readEffective } from './machine-policy.ts'

/** The end of an installation of patches. */
interface InstallEnd {
  agentId: string
  /** Why it failed, as a sentence; null = it succeeded. */
  failure: string | null
}

/** Alerts of a failed installation, if the policy of the machine says so. The next one that succeeds resolves it. */
export async function alertFailure(txContext: TxContext, { agentId, failure }: InstallEnd): Promise<void> {
  const { ctx, tx } = txContext
  const machine = await tx
    .selectFrom('agents')
    .leftJoin('machine_patch_policies', 'machine_patch_policies.agent', 'agents.id')
    .select(['maintenance_mode', 'policy'])
    .where('agent_id', '=', agentId)
    .executeTakeFirst()
  if (machine === undefined) return
  const isWanted = readEffective(machine.policy ?? '{}').alert?.value.on_failure === true
  if (failure !== null && !isWanted) return
  const cause = `patches:${agentId}`
  const subject: Subject = {
    cause,
    alert_type: 'custom',
    agent_id: agentId,
    check_id: null,
    site_id: null,
    hold: machine.maintenance_mode === 1 ? 'maintenance' : null,
  }
  const finding = {
    cause,
    at: ctx.now(),
    severity: failure === null ? null : ('error' as const),
    text: failure === null ? 'Patches were installed.' : `Failed to install patches: ${failure}`,
  }
  await takeFindings(txContext, new Map([[cause, subject]]), [finding])
}

/** Installations of users and jobs that have ended. Those of policies are tried again before they have failed. */
export async function alertFailedRuns(txContext: TxContext, runs: readonly HistoryRow[]): Promise<void> {
  const ended = runs.filter(
    ({ type, state }) => type === 'patch_install' && (state === 'done' || state === 'failed'),
  )
  if (ended.length === 0) return
  const ofPolicies = await txContext.tx
    .selectFrom('patch_installs')
    .select('history_id')
    .where(
      'history_id',
      'in',
      ended.map(({ id }) => id),
    )
    .execute()
  const skipped = new Set(ofPolicies.map(({ history_id }) => history_id))
  for (const { id, agent_id: agentId, state, retcode, reason } of ended) {
    if (skipped.has(id)) continue
    const hasSucceeded = state === 'done' && (retcode ?? 0) === 0
    const failure = hasSucceeded ? null : (reason ?? `It ended with exit code ${retcode ?? 'unknown'}.`)
    await alertFailure(txContext, { agentId, failure })
  }
}
