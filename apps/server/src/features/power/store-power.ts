import type { PowerReport } from '@muster/contract/agent/power'
import type { InTransaction } from '../../hooks.ts'
import { type ActionRow, emitActions } from './pending-actions/pending-actions.ts'

const DONE: Record<ActionRow['action_type'], string> = {
  schedreboot: 'Restarted.',
  schedshutdown: 'Shut down.',
  schedsignout: 'Signed out.',
  agentupdate: 'Updated.',
}

/** Stores what machines report about their plans: postponements and ends. */
export async function storePower(
  { ctx, tx, emit }: InTransaction,
  reports: readonly { agentId: string; report: PowerReport }[],
): Promise<void> {
  const now = ctx.now().toISOString()
  for (const { agentId, report } of reports) {
    const row = await tx
      .selectFrom('pending_actions')
      .select(['id', 'action_type', 'sent_at'])
      .where('agent_id', '=', agentId)
      .where('plan', '=', report.id)
      .where('status', '=', 'pending')
      .executeTakeFirst()
    if (row === undefined) continue
    const { due, postponed, state, reason } = report
    const values =
      state === 'planned'
        ? { due, sent_at: row.sent_at ?? now, output: describePostponed(postponed) }
        : {
            status: 'completed' as const,
            finished_at: now,
            output: state === 'done' ? DONE[row.action_type] : (reason ?? 'The machine did not do it.'),
          }
    await tx.updateTable('pending_actions').set(values).where('id', '=', row.id).execute()
    emitActions(emit, [row.id], agentId)
  }
}

function describePostponed(count: number): string {
  if (count === 0) return ''
  return `Postponed ${count === 1 ? 'once' : `${count} times`} by the user.`
}
