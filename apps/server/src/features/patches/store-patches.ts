import type { PatchReport } from '@muster/contract/agent/patches'
import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'

export interface ReportedPatches {
  agentId: string
  report: PatchReport
}

/** Keeps what machines may install. A look that failed leaves the list as it was, and says why. */
export async function storePatches(
  tx: Db,
  emit: (event: Event) => void,
  { reports, now }: { reports: readonly ReportedPatches[]; now: Date },
): Promise<void> {
  for (const { agentId, report } of reports) {
    const known = await tx
      .selectFrom('agents')
      .leftJoin('machine_patches', 'machine_patches.agent', 'agents.id')
      .select(['agents.id as agent', 'hash', 'pending'])
      .where('agent_id', '=', agentId)
      .executeTakeFirst()
    // Removed meanwhile.
    if (known === undefined) continue
    const { found, problem } = report
    const isChanged = found !== null && found.hash !== known.hash
    const row = {
      problem,
      looked_at: now.toISOString(),
      ...(isChanged
        ? {
            hash: found.hash,
            patches: JSON.stringify(found.patches),
            pending: found.patches.length + found.left_out,
            left_out: found.left_out,
            changed_at: now.toISOString(),
          }
        : {}),
    }
    await tx
      .insertInto('machine_patches')
      .values({
        agent: known.agent,
        hash: '',
        patches: '[]',
        pending: 0,
        left_out: 0,
        changed_at: null,
        ...row,
      })
      .onConflict((conflict) => conflict.column('agent').doUpdateSet(row))
      .execute()
    const about = { ids: [agentId], agent_ids: [agentId] }
    emit({ type: 'patches.looked', ...about })
    // The machines table shows whether there are any.
    if (isChanged) emit({ type: 'agent.changed', ...about, passing: true })
  }
}
