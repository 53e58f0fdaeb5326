import type { Patch, PatchReport } from '@muster/contract/agent/patches'
import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import { lockRow } from '../../platform/database/change-row.ts'
import { countPending, parsePatches, type StoredPatch } from './queries.ts'

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
      .select(['agents.id as agent', 'hash'])
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
    const about = { ids: [agentId], agent_ids: [agentId] }
    emit({ type: 'patches.scanned', ...about })
    // The machines table shows the number of patches.
    if (isChanged) emit({ type: 'agent.changed', ...about, passing: true })
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
    const { number, action } = before.get(keyOf(patch)) ?? { number: (lastNumber += 1), action: 'inherit' }
    return { ...patch, number, action }
  })
  return { patches, lastNumber }
}
