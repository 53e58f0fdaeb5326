import type { Report } from '@muster/contract/agent/link'
import type { UpdateState } from '@muster/contract/api/agents'
import type { InTransaction } from '../../hooks.ts'
import { emitActions } from '../power/pending-actions/pending-actions.ts'

type UpdateReport = Extract<Report, { kind: 'update' }>

/**
 * Stores what machines report about their updates, and ends the pending actions of those that are over. A report counts
 * for the version that the machine was offered, until it has a result: reports decide whether others get the version. A
 * machine that failed by its silence may still report.
 */
export async function storeUpdates(
  { ctx, tx, emit }: InTransaction,
  reports: readonly { agentId: string; report: UpdateReport }[],
): Promise<void> {
  if (reports.length === 0) return
  const now = ctx.now().toISOString()
  for (const { agentId, report } of reports) {
    const { version, reason } = report
    const state: UpdateState = report.state === 'rolled-back' ? 'rolled_back' : report.state
    const { numUpdatedRows: stored } = await tx
      .updateTable('agent_updates')
      .set({ state, reason, changed_at: now })
      .where('agent_id', '=', agentId)
      .where('version', '=', version)
      .where('state', 'in', ['offered', 'downloading', 'installed', 'failed'])
      .executeTakeFirstOrThrow()
    if (stored === 0n) continue
    const output = describeEnd(report)
    if (output === undefined) continue
    const ended = await tx
      .updateTable('pending_actions')
      .set({ status: 'completed', output, finished_at: now })
      .where('agent_id', '=', agentId)
      .where('action_type', '=', 'agentupdate')
      .where('status', '=', 'pending')
      .returning('id')
      .execute()
    if (ended.length > 0)
      emitActions(
        emit,
        ended.map(({ id }) => id),
        agentId,
      )
  }
  const ids = [...new Set(reports.map(({ agentId }) => agentId))]
  emit({ type: 'agent_update.changed', ids, agent_ids: ids })
}

function describeEnd({ state, version, reason }: UpdateReport): string | undefined {
  switch (state) {
    case 'confirmed':
      return `Updated to version ${version}.`
    case 'failed':
      return `The update to version ${version} failed. ${reason ?? ''}`.trim()
    case 'rolled-back':
      return `Version ${version} was rolled back. ${reason ?? ''}`.trim()
    case 'downloading':
    case 'installed':
      return undefined
  }
}
