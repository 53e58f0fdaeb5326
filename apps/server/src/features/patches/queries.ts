import type { InstalledPatch, Patch } from '@muster/contract/agent/patches'
import type { MachinePatch, PatchAction, PatchStatus } from '@muster/contract/api/patches'
import type { Db } from '../../platform/database/database.ts'
import { findLastRun, viewHistory } from '../runs/queries.ts'

/** A reported patch with its number within the machine and the decision about it, of a user unless `by_policy`. */
export type StoredPatch = Patch & { number: number; action: PatchAction; by_policy?: true }

/** `by_policy`: otherwise it is the decision of a user, or of nobody. */
export function withDecision(patch: StoredPatch, action: PatchAction, by_policy?: true): StoredPatch {
  const { by_policy: _, ...rest } = patch
  return { ...rest, action, ...(by_policy && { by_policy }) }
}

export async function readPatches(db: Db, agent: number): Promise<StoredPatch[]> {
  const row = await db
    .selectFrom('machine_patches')
    .select('patches')
    .where('agent', '=', agent)
    .executeTakeFirst()
  return row === undefined ? [] : parsePatches(row.patches)
}

export async function readInstalledPatches(db: Db, agent: number): Promise<InstalledPatch[]> {
  const row = await db
    .selectFrom('installed_patches')
    .select('patches')
    .where('agent', '=', agent)
    .executeTakeFirst()
  // Stored by store-patches.ts.
  return row === undefined ? [] : (JSON.parse(row.patches) as InstalledPatch[])
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

export function viewPatch(agent: number, { number, by_policy, ...patch }: StoredPatch): MachinePatch {
  const id = patchId(agent, number)
  return { ...patch, by_policy: by_policy === true, id, installed: false, date_installed: null }
}

/** Above the numbers of pending patches, so that no decision reaches an installed one. */
const FIRST_INSTALLED = 900_000

export function viewInstalledPatch(
  agent: number,
  { installed_at, ...patch }: InstalledPatch,
  index: number,
): MachinePatch {
  return {
    ...patch,
    id: patchId(agent, FIRST_INSTALLED + index),
    action: 'inherit',
    by_policy: false,
    current_version: patch.version,
    security: false,
    categories: [],
    description: '',
    more_info_urls: [],
    size: null,
    downloaded: true,
    needs_reboot: false,
    installed: true,
    date_installed: installed_at,
  }
}

/** The policy of a machine decides about its changed patches within a minute. */
export async function judgeSoon(tx: Db, agent: number, now: Date): Promise<void> {
  await tx
    .updateTable('machine_patch_policies')
    .set({ judge_at: now.toISOString() })
    .where('agent', '=', agent)
    .execute()
}
