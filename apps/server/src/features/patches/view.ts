import type { MachinePatch } from '@muster/contract/api/patches'
import type { StoredPatch } from './queries.ts'

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
