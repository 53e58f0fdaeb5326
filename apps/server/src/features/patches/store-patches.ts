import type { InstalledPatchReport, Patch, PatchReport } from '@muster/contract/agent/patches'
import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import { lockRow } from '../../platform/database/change-row.ts'
import { indexPatches } from './patch-index.ts'
import { countPending, judgeSoon, parsePatches, type StoredPatch } from './queries.ts'

export interface ReportedPatches {
  agentId: string
  report: PatchReport
}

/** Stores the available patches of machines. A failed scan keeps the list and stores its reason. */
export async function storePatches(
  tx: Db,
  emit: (event: Event) => void,
  { reports, now }: { reports: readonly ReportedPatches[]; now: Date },
): Promise<void> {
  for (const { agentId, report } of reports) {
    const known = await tx
      .selectFrom('agents')
      .leftJoin('machine_patches', 'machine_patches.agent', 'agents.id')
      .select(['agents.id as agent', 'hash', 'problem'])
      .where('agent_id', '=', agentId)
      .executeTakeFirst()
    // Deleted in the meantime.
    if (known === undefined) continue
    const { found, problem } = report
    const isChanged = found !== null && found.hash !== known.hash
    const kept = isChanged ? await keepDecisions(tx, known.agent, found.patches) : undefined
    const row = {
      problem,
      looked_at: now.toISOString(),
      ...(kept !== undefined && found !== null
        ? {
            hash: found.hash,
            patches: JSON.stringify(kept.patches),
            last_number: kept.lastNumber,
            pending: countPending(kept.patches, found.left_out),
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
    if (kept !== undefined) {
      await indexPatches(tx, known.agent, { patches: kept.patches, now })
      await judgeSoon(tx, known.agent, now)
    }
    const about = { ids: [agentId], agent_ids: [agentId] }
    emit({ type: 'patches.scanned', ...about })
    if (isChanged || problem !== known.problem) emit({ type: 'patches.changed', ...about })
    // The machines table shows the number of patches.
    if (isChanged) emit({ type: 'agent.changed', ...about, passing: true })
  }
}

/** Stores the installed patches of machines. */
export async function storeInstalledPatches(
  tx: Db,
  emit: (event: Event) => void,
  reports: readonly { agentId: string; report: InstalledPatchReport }[],
): Promise<void> {
  for (const { agentId, report } of reports) {
    const agent = await tx
      .selectFrom('agents')
      .select('id')
      .where('agent_id', '=', agentId)
      .executeTakeFirst()
    // Deleted in the meantime.
    if (agent === undefined) continue
    const patches = JSON.stringify(report.patches)
    await tx
      .insertInto('installed_patches')
      .values({ agent: agent.id, patches })
      .onConflict((conflict) => conflict.column('agent').doUpdateSet({ patches }))
      .execute()
    emit({ type: 'patches.scanned', ids: [agentId], agent_ids: [agentId] })
  }
}

/** Adds numbers to the reported patches. A decision applies only to the same version of a patch. */
async function keepDecisions(
  tx: Db,
  agent: number,
  reported: readonly Patch[],
): Promise<{ patches: StoredPatch[]; lastNumber: number }> {
  await lockRow(tx, 'machine_patches', 'agent', agent)
  const row = await tx
    .selectFrom('machine_patches')
    .select(['patches', 'last_number'])
    .where('agent', '=', agent)
    .executeTakeFirst()
  const keyOf = ({ guid, version }: Patch) => `${guid}\n${version}`
  const before = new Map(parsePatches(row?.patches ?? '[]').map((patch) => [keyOf(patch), patch]))
  let lastNumber = row?.last_number ?? 0
  const patches = reported.map((patch): StoredPatch => {
    const known = before.get(keyOf(patch))
    if (known === undefined) return { ...patch, number: (lastNumber += 1), action: 'inherit' }
    const { number, action, by_policy } = known
    return { ...patch, number, action, ...(by_policy && { by_policy }) }
  })
  return { patches, lastNumber }
}
