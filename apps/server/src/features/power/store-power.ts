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
      .select(['id', 'action_type', 'status', 'sent_at'])
      .where('agent_id', '=', agentId)
      .where('plan', '=', report.id)
      .where('status', '!=', 'completed')
      .executeTakeFirst()
    if (row === undefined) continue
    const { due, postponed, state, reason } = report
    const values =
      state === 'planned'
        ? {
            due,
            sent_at: row.sent_at ?? now,
            ...(row.status === 'pending' ? { output: describePostponed(postponed) } : {}),
          }
        : {
            status: 'completed' as const,
            finished_at: now,
            output: state === 'done' ? describeDone(row) : (reason ?? 'The machine did not do it.'),
          }
    await tx.updateTable('pending_actions').set(values).where('id', '=', row.id).execute()
    emitActions(emit, [row.id], agentId)
  }
}

function describeDone({ action_type, status }: Pick<ActionRow, 'action_type' | 'status'>): string {
  const late = status === 'cancelling' ? ' The machine was offline when it was cancelled.' : ''
  return `${DONE[action_type]}${late}`
}

function describePostponed(count: number): string {
  if (count === 0) return ''
  return `Postponed ${count === 1 ? 'once' : `${count} times`} by the user.`
}
