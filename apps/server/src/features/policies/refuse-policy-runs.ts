import type { PolicyDocument } from '@muster/contract/api/policies'
import { AppError } from '@muster/contract/errors'
import { NO_PATCH_POLICY } from '@muster/contract/policies/patch-policy'
import { nameCheck } from '@muster/rules/checks/check-name'
import type { Db } from '../../platform/database/database.ts'
import { type Caller, mayDo } from '../../platform/http/caller.ts'
import type { Author } from '../keystore/key-use.ts'
import { refuseRuns, type Run, runsOfCheck, runsOfTask } from '../users/roles/refuse-runs.ts'
import { type LoadedPolicy, targetKey, type PolicySet } from './policy-set.ts'

/** A policy with patches installs them, and may restart machines. */
const PATCH_RIGHTS = ['can_manage_winupdates', 'can_reboot_agents'] as const

const PARTS = {
  checks: 'can_manage_checks',
  tasks: 'can_manage_autotasks',
  software: 'can_manage_software',
} as const

/**
 * Policies run their checks and tasks on machines: changing these, or applying them to more machines, requires the
 * rights to run them on each machine directly. Unchanged parts require nothing. Returns the author, like refuseRuns.
 */
export async function refusePolicyRuns(
  db: Db,
  caller: Caller,
  { set, before, document }: { set: PolicySet; before: LoadedPolicy | undefined; document: PolicyDocument },
): Promise<Author> {
  const old = before?.document
  const reaches = old === undefined || reachesMore(old, document)
  for (const part of ['checks', 'tasks', 'software'] as const) {
    const items = document.content[part]
    const isChanged = JSON.stringify(items) !== JSON.stringify(old?.content[part] ?? [])
    if (!isChanged && !(reaches && items.length > 0)) continue
    if (mayDo(caller, PARTS[part])) continue
    throw new AppError(
      'not_allowed',
      `The policy "${document.name}" has ${part}. Your role needs ${PARTS[part]} to change or assign them.`,
    )
  }
  refusePatches(caller, { old, document, reaches })
  const author = before?.row?.author_id ?? null
  return refuseRuns(db, caller, {
    before: old === undefined ? undefined : { runs: reaches ? [] : runsOf(set, old), author },
    after: runsOf(set, document),
  })
}

function refusePatches(
  caller: Caller,
  { old, document, reaches }: { old: PolicyDocument | undefined; document: PolicyDocument; reaches: boolean },
): void {
  const { name, content } = document
  const isChanged =
    JSON.stringify(content.patches) !== JSON.stringify(old?.content.patches ?? NO_PATCH_POLICY)
  const isAny = Object.values(content.patches).some((section) => section !== null)
  if (!isChanged && !(reaches && isAny)) return
  const needed = PATCH_RIGHTS.filter(
    (right) => right === 'can_manage_winupdates' || (content.patches.reboot?.when ?? 'never') !== 'never',
  )
  const missing = needed.find((right) => !mayDo(caller, right))
  if (missing === undefined) return
  const what = missing === 'can_reboot_agents' ? 'restarts machines' : 'installs patches'
  throw new AppError(
    'not_allowed',
    `The policy "${name}" ${what}. Your role needs ${missing} to change or assign it.`,
  )
}

/** Whether the policy may apply to further machines. */
function reachesMore(before: PolicyDocument, after: PolicyDocument): boolean {
  if (!after.active) return false
  if (!before.active || (after.enforced && !before.enforced)) return true
  const known = new Set(before.targets.map(textOf))
  return (
    after.targets.some((target) => !known.has(textOf(target)) && !known.has(textOf(widest(target)))) ||
    before.excluded_clients.some((id) => !after.excluded_clients.includes(id)) ||
    before.excluded_sites.some((id) => !after.excluded_sites.includes(id)) ||
    before.excluded_agents.some((id) => !after.excluded_agents.includes(id))
  )
}

type Target = PolicyDocument['targets'][number]

function textOf(target: Target): string {
  const type = 'monitoring_type' in target ? target.monitoring_type : null
  return JSON.stringify([targetKey(target), type, 'search' in target ? target.search : null])
}

/** The same target for servers and workstations. */
function widest(target: Target): Target {
  return 'monitoring_type' in target ? { ...target, monitoring_type: null } : target
}

function runsOf(set: PolicySet, { content }: PolicyDocument): Run[] {
  const checks = content.checks.flatMap(({ settings }) => {
    const script = settings.check_type === 'script' ? set.scripts.get(settings.script) : undefined
    return runsOfCheck(settings, `The check "${nameCheck({ settings, script_name: script?.name ?? null })}"`)
  })
  const tasks = content.tasks.flatMap(({ task, task_supported_platforms: platforms }) =>
    platforms.flatMap((plat) => runsOfTask(task).map((run) => ({ ...run, digest: `${plat} ${run.digest}` }))),
  )
  return [...checks, ...tasks, ...runsOfPatches(content)]
}

function runsOfPatches({ patches: { scripts } }: PolicyDocument['content']): Run[] {
  return (['before', 'after'] as const).flatMap((part): Run[] => {
    const script = scripts?.[part] ?? null
    if (script === null) return []
    const what = `The installation of patches`
    return [{ kind: 'script', what, digest: JSON.stringify(['patches', part, script]), texts: [] }]
  })
}
