import type { PatchAction } from '@muster/contract/api/patches'
import type { JobAction } from '@muster/contract/fleet-jobs/job-draft'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { AgentWithSite } from '../agents/queries.ts'
import { decideOnMachine } from '../patches/decide-patches.ts'
import { patchDigest } from '../patches/patch-index.ts'
import { parsePatches, type StoredPatch } from '../patches/queries.ts'
import type { BeforeJob } from './kept-values.ts'

type Action = Extract<JobAction, { type: 'approve_patches' }>
type PatchesBefore = Extract<BeforeJob, { patches: unknown }>['patches']

const VERBS: Record<PatchAction, string> = {
  approve: 'Approve',
  ignore: 'Ignore',
  inherit: 'Reset the decision about',
  nothing: 'Reset the decision about',
}

export function describeDecision({ decision, patches, severities }: Action): string {
  const named = patches.length === 0 ? [] : [patches.length === 1 ? '1 patch' : `${patches.length} patches`]
  const levels = severities.map((one) => (one === '' ? 'without severity' : one.toLowerCase())).join(', ')
  const bySeverity = severities.length === 0 ? [] : [`all patches that are ${levels}`]
  return `${VERBS[decision]} ${[...named, ...bySeverity].join(' and ')}`
}

/** Ids of the machines that can install one of the patches. */
export async function findPatchable(db: Db, { patches, severities }: Action): Promise<Set<string>> {
  const rows = await db
    .selectFrom('machine_patch_versions')
    .innerJoin('patch_versions', 'patch_versions.id', 'machine_patch_versions.patch')
    .innerJoin('agents', 'agents.id', 'machine_patch_versions.agent')
    .select('agents.agent_id')
    .distinct()
    .where((eb) =>
      eb.or([
        ...(patches.length === 0 ? [] : [eb('patch_versions.digest', 'in', patches)]),
        ...(severities.length === 0 ? [] : [eb('patch_versions.severity', 'in', severities)]),
      ]),
    )
    .execute()
  return new Set(rows.map(({ agent_id }) => agent_id))
}

/** The decisions of these machines that the action replaces. */
export async function readDecisions(
  db: Db,
  agentIds: string[],
  action: Action,
): Promise<Map<string, BeforeJob>> {
  const rows = await db
    .selectFrom('machine_patches')
    .innerJoin('agents', 'agents.id', 'machine_patches.agent')
    .select(['agents.agent_id', 'machine_patches.patches'])
    .where('agents.agent_id', 'in', agentIds)
    .execute()
  const fits = fitting(action)
  return new Map(
    rows.map(({ agent_id, patches }) => [
      agent_id,
      {
        patches: parsePatches(patches)
          .filter((patch) => fits(patch) && patch.action !== action.decision)
          .map((patch) => ({ guid: patch.guid, version: patch.version, action: patch.action })),
      },
    ]),
  )
}

/** Returns what was decided, as words. */
export async function decideInJob(
  ctx: Context,
  caller: Caller,
  { machine, action }: { machine: AgentWithSite; action: Action },
): Promise<string> {
  const count = await decideOnMachine(ctx, caller, {
    machine,
    action: action.decision,
    fits: fitting(action),
  })
  return `${count} ${count === 1 ? 'decision' : 'decisions'} changed`
}

/** Patches that were installed meanwhile, or have another version, are left alone. */
export async function restoreDecisions(
  ctx: Context,
  caller: Caller,
  { machine, before }: { machine: AgentWithSite; before: PatchesBefore },
): Promise<string> {
  let count = 0
  for (const [action, patches] of Map.groupBy(before, (patch) => patch.action)) {
    const keys = new Set(patches.map(keyOf))
    count += await decideOnMachine(ctx, caller, { machine, action, fits: (patch) => keys.has(keyOf(patch)) })
  }
  return `${count} ${count === 1 ? 'decision' : 'decisions'} restored`
}

const keyOf = ({ guid, version }: Pick<StoredPatch, 'guid' | 'version'>) => `${guid}\n${version}`

function fitting({ patches, severities }: Action): (patch: StoredPatch) => boolean {
  const digests = new Set(patches)
  const levels = new Set(severities)
  return (patch) => levels.has(patch.severity) || (digests.size > 0 && digests.has(patchDigest(patch)))
}
