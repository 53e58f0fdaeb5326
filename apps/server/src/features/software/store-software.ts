import type { SoftwareReport } from '@muster/contract/agent/software'
import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import { storeChanges } from '../agents/fact-changes.ts'
import { describeSoftwareChanges } from './describe-changes.ts'
import { replaceSoftware } from './replace-software.ts'

export interface ReportedSoftware {
  agentId: string
  report: SoftwareReport
}

/** Keeps what machines have installed, and what changed for their timelines. Answers those whose list is wanted. */
export async function storeSoftware(
  tx: Db,
  emit: (event: Event) => void,
  { reports, now }: { reports: readonly ReportedSoftware[]; now: Date },
): Promise<string[]> {
  const wanted: string[] = []
  for (const { agentId, report } of reports) {
    const known = await findInventory(tx, agentId)
    // Removed meanwhile.
    if (known === undefined) continue
    const about = { ids: [agentId], agent_ids: [agentId] }
    if (report.inventory === null) {
      if (known.hash !== report.hash) {
        wanted.push(agentId)
        continue
      }
      await tx
        .updateTable('software_inventories')
        .set({ looked_at: now.toISOString() })
        .where('agent', '=', known.agent)
        .execute()
    } else if (await storeInventory(tx, { ...known, agentId, now }, report))
      emit({ type: 'software.changed', ...about })
    emit({ type: 'software.scanned', ...about })
  }
  return wanted
}

interface Known {
  agent: number
  /** Null before its first list. */
  hash: string | null
}

async function findInventory(tx: Db, agentId: string): Promise<Known | undefined> {
  return tx
    .selectFrom('agents')
    .leftJoin('software_inventories', 'software_inventories.agent', 'agents.id')
    .select(['agents.id as agent', 'hash'])
    .where('agent_id', '=', agentId)
    .executeTakeFirst()
}

/** Whether it is another than before. */
async function storeInventory(
  tx: Db,
  { agent, agentId, hash: before, now }: Known & { agentId: string; now: Date },
  { hash, inventory }: SoftwareReport,
): Promise<boolean> {
  const at = now.toISOString()
  const isChanged = hash !== before
  if (isChanged && inventory !== null) {
    const { removed, added } = await replaceSoftware(tx, agent, inventory.packages)
    // The first list of a machine is no change of it.
    if (before !== null)
      await storeChanges(tx, {
        agentId,
        at: Math.floor(now.getTime() / 1000),
        texts: describeSoftwareChanges(removed, added),
      })
  }
  const row = {
    hash,
    left_out: inventory?.left_out ?? 0,
    looked_at: at,
    ...(isChanged ? { changed_at: at } : {}),
  }
  await tx
    .insertInto('software_inventories')
    .values({ agent, changed_at: at, ...row })
    .onConflict((conflict) => conflict.column('agent').doUpdateSet(row))
    .execute()
  return isChanged
}
