import type { Patch } from '@muster/contract/agent/patches'
import type { PatchStatus } from '@muster/contract/api/patches'
import type { Db } from '../../platform/database/database.ts'
import { findLastRun } from '../history/queries.ts'
import { viewHistory } from '../history/view.ts'

export async function readPatches(db: Db, agent: number): Promise<Patch[]> {
  const row = await db
    .selectFrom('machine_patches')
    .select('patches')
    .where('agent', '=', agent)
    .executeTakeFirst()
  // Stored by store-patches.ts as the contract's schema made it.
  return row === undefined ? [] : (JSON.parse(row.patches) as Patch[])
}

export async function readPatchStatus(
  db: Db,
  { id, agent_id }: { id: number; agent_id: string },
): Promise<PatchStatus> {
  const row = await db
    .selectFrom('machine_patches')
    .select(['looked_at', 'changed_at', 'problem', 'left_out'])
    .where('agent', '=', id)
    .executeTakeFirst()
  const run = await findLastRun(db, agent_id, ['patch_install'])
  return {
    looked_at: row?.looked_at ?? null,
    changed_at: row?.changed_at ?? null,
    problem: row?.problem ?? null,
    left_out: row?.left_out ?? 0,
    last_install: run === undefined ? null : viewHistory(run),
  }
}
