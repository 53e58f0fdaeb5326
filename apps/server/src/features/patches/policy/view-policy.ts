import type { MachinePatchPolicy, PolicyInstall } from '@muster/contract/api/patches'
import { PATCH_SECTIONS, type PatchSection } from '@muster/contract/policies/patch-policy'
import {
  describeApproval,
  describePatchAlert,
  describePatchSchedule,
  describePatchScripts,
  describeReboot,
  describeRing,
} from '@muster/rules/patches/patch-text'
import type { Db } from '../../../platform/database/database.ts'
import { patchId, readPatches } from '../queries.ts'
import { judgeAll } from './judge-patches.ts'
import { type EffectivePatchPolicy, readClock, readEffective, readOwn } from './machine-policy.ts'
import type { InstalledPatch } from './start-step.ts'

/** The effective patch policy of a machine, with sources, and its consequences. */
export async function viewMachinePolicy(db: Db, agent: number, now: Date): Promise<MachinePatchPolicy> {
  const row = await db
    .selectFrom('machine_patch_policies')
    .select(['policy', 'own', 'next_at', 'next_until'])
    .where('agent', '=', agent)
    .executeTakeFirst()
  const policy = readEffective(row?.policy ?? '{}')
  const patches = await readPatches(db, agent)
  const verdicts = await judgeAll(db, { agent, patches, policy, now })
  const { zone } = await readClock(db, { agent, needsWindows: false })
  const { next_at: at = null, next_until: until = null } = row ?? {}
  return {
    sections: await viewSections(db, policy),
    own: readOwn(row?.own ?? '{}'),
    next: at === null || until === null ? null : { at, until },
    time_zone: zone,
    ring: policy.ring?.value.ring ?? 1,
    verdicts: Array.from(verdicts, ([number, { decision, atMs, why }]) => ({
      id: patchId(agent, number),
      decision,
      at: decision !== 'wait' || atMs === undefined ? null : new Date(atMs).toISOString(),
      why,
    })),
    last: await findLastInstall(db, agent),
  }
}

async function viewSections(db: Db, policy: EffectivePatchPolicy): Promise<MachinePatchPolicy['sections']> {
  const given = PATCH_SECTIONS.filter((section) => policy[section] !== undefined)
  if (given.length === 0) return []
  const ids = given.flatMap((section) => policy[section]?.policy ?? [])
  const names = new Map(
    (
      await db
        .selectFrom('policies')
        .select(['id', 'name'])
        .where('id', 'in', [...ids, 0])
        .execute()
    ).map((one) => [one.id, one.name]),
  )
  const scripts = await findScriptNames(db, policy)
  return given.map((section) => {
    const id = policy[section]?.policy ?? null
    return {
      section,
      what: describe(policy, section, scripts),
      policy: id === null ? null : { id, name: names.get(id) ?? '' },
    }
  })
}

function describe(
  { approval, ring, schedule, scripts, reboot, alert }: EffectivePatchPolicy,
  section: PatchSection,
  names: ReadonlyMap<number, string>,
): string {
  const nameOf = (id: number | null) => (id === null ? null : (names.get(id) ?? 'a deleted script'))
  const texts: Record<PatchSection, string | undefined> = {
    approval: approval && describeApproval(approval.value),
    ring: ring && describeRing(ring.value),
    schedule: schedule && describePatchSchedule(schedule.value),
    scripts:
      scripts &&
      describePatchScripts({ before: nameOf(scripts.value.before), after: nameOf(scripts.value.after) }),
    reboot: reboot && describeReboot(reboot.value),
    alert: alert && describePatchAlert(alert.value),
  }
  return texts[section] ?? ''
}

async function findScriptNames(
  db: Db,
  { scripts }: EffectivePatchPolicy,
): Promise<ReadonlyMap<number, string>> {
  const ids = [scripts?.value.before, scripts?.value.after].filter((id) => typeof id === 'number')
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('scripts').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

async function findLastInstall(db: Db, agent: number): Promise<PolicyInstall | null> {
  const row = await db
    .selectFrom('patch_installs')
    .select(['due_at', 'until', 'step', 'state', 'reason', 'patches', 'finished_at'])
    .where('agent', '=', agent)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return null
  // Stored by start-step.ts.
  return { ...row, patches: (JSON.parse(row.patches) as InstalledPatch[]).length }
}
