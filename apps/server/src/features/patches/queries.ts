import type { Patch } from '@muster/contract/agent/patches'
import type { MachinePatch, PatchAction, PatchStatus } from '@muster/contract/api/patches'
import type { Db } from '../../platform/database/database.ts'
import { findLastRun, viewHistory } from '../runs/queries.ts'

/** A reported patch with its number within the machine and the decision about it. */
export type StoredPatch = Patch & { number: number; action: PatchAction }

export async function readPatches(db: Db, agent: number): Promise<StoredPatch[]> {
  const row = await db
    .selectFrom('machine_patches')
    .select('patches')
    .where('agent', '=', agent)
    .executeTakeFirst()
  return row === undefined ? [] : parsePatches(row.patches)
}

export function parsePatches(stored: string): StoredPatch[] {
  // Stored by store-patches.ts and changePatch in routes.ts.
  return JSON.parse(stored) as StoredPatch[]
}

/** Patches that still need attention. */
export function countPending(patches: readonly Pick<StoredPatch, 'action'>[], leftOut: number): number {
  return patches.filter(({ action }) => action !== 'ignore').length + leftOut
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

// More patches than a machine has in its life.
const STEP = 1_000_000

/** Patches are numbered within their machine. This id is unique across machines. */
export const patchId = (agent: number, number: number): number => agent * STEP + number

export const readPatchId = (id: number): { agent: number; number: number } => ({
  agent: Math.floor(id / STEP),
  number: id % STEP,
})

export function viewPatch(agent: number, { number, ...patch }: StoredPatch): MachinePatch {
  return { ...patch, id: patchId(agent, number), installed: false }
}
