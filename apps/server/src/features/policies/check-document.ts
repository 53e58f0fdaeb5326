import type { MaintenanceTarget } from '@muster/contract/api/maintenance'
import type { PolicyDocument } from '@muster/contract/api/policies'
import { AppError } from '@muster/contract/errors'
import { checkKey, closesCircle } from '@muster/rules/checks/check-key'
import { completeParameters } from '@muster/rules/agents/script-parameters'
import { findTargetProblem } from '@muster/rules/agents/machine-target'
import { nameCheck } from '@muster/rules/checks/check-name'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { findTemplate } from '../alerts/templates/queries.ts'
import { refuseBadThresholds } from '../checks/check-columns.ts'
import { refuseTarget } from '../checks/from-server/server-kind.ts'
import { requireTargets } from '../maintenance/require-targets.ts'
import { refuseBadTasks } from './check-tasks.ts'
import { targetKey, type PolicySet } from './policy-set.ts'

interface Check {
  ctx: Pick<Context, 'config'>
  db: Db
  caller: Caller
  set: PolicySet
  before: PolicyDocument | undefined
}

/** Refuses invalid documents and those beyond the caller's rights. Returns the document without duplicate targets. */
export async function checkDocument(
  { ctx, db, caller, set, before }: Check,
  document: PolicyDocument,
): Promise<PolicyDocument> {
  const targets = uniqueBy(document.targets, (target) => JSON.stringify(target))
  await refuseBadTargets(db, caller, { ...document, targets })
  const known = new Map(before?.content.checks.map((check) => [check.id, check.settings]))
  const keys = new Set<string>()
  for (const [index, { id, settings }] of document.content.checks.entries()) {
    const path = `content.checks.${index}`
    const script = settings.check_type === 'script' ? set.scripts.get(settings.script) : undefined
    const name = nameCheck({ settings, script_name: script?.name ?? null })
    atPath(path, name, () => refuseBadThresholds(settings))
    atPath(path, name, () => refuseTarget(settings, ctx.config.checkTargets))
    const isNew = JSON.stringify(known.get(id)) !== JSON.stringify(settings)
    if (settings.check_type === 'script' && script === undefined && isNew) {
      refuse(`${path}.settings.script`, 'This script does not exist.')
    }
    if (settings.check_type === 'script' && script !== undefined && isNew) {
      const [problem] = completeParameters(script.parameters, settings.env_vars).problems
      if (problem !== undefined)
        refuse(`${path}.settings.parameters.${problem.name}`, `${name}: ${problem.sentence}`)
    }
    const key = checkKey(settings)
    if (keys.has(key)) refuse(path, `The policy has the same check twice: ${name}. Remove one.`)
    keys.add(key)
  }
  await refuseBadTasks(caller, { db, set, document, before })
  refuseBadDependencies(document)
  const { offline_time, overdue_time } = document.content.agent_settings
  if (offline_time !== null && overdue_time !== null && overdue_time <= offline_time) {
    refuse('content.agent_settings.overdue_time', `Enter more than the ${offline_time} minutes of "offline".`)
  }
  const { alert_template } = document.content
  if (alert_template !== null && alert_template !== before?.content.alert_template) {
    const found = await findTemplate(db, alert_template)
    if (found === undefined) {
      refuse('content.alert_template', 'This alert template does not exist.')
    }
  }
  const { scripts } = document.content.patches
  for (const part of ['before', 'after'] as const) {
    const script = scripts?.[part] ?? null
    if (script === null || set.scripts.has(script) || script === before?.content.patches.scripts?.[part])
      continue
    refuse(`content.patches.scripts.${part}`, 'This script does not exist.')
  }
  return {
    ...document,
    targets,
    excluded_clients: [...new Set(document.excluded_clients)],
    excluded_sites: [...new Set(document.excluded_sites)],
    excluded_agents: [...new Set(document.excluded_agents)],
  }
}

function refuseBadDependencies({ content: { checks } }: PolicyDocument): void {
  const parents = new Map(checks.map(({ id, depends_on }) => [id ?? 0, depends_on]))
  for (const [index, { id, depends_on: on }] of checks.entries()) {
    const path = `content.checks.${index}.depends_on`
    if (on === undefined) continue
    if (!parents.has(on)) refuse(path, 'The policy has no such check to depend on.')
    if (id !== undefined && closesCircle(id, on, parents)) {
      refuse(path, 'These checks depend on each other. Remove one dependency.')
    }
  }
}

async function refuseBadTargets(db: Db, caller: Caller, document: PolicyDocument): Promise<void> {
  for (const [index, target] of document.targets.entries()) {
    const problem = target.level === 'search' ? findTargetProblem(target.search) : undefined
    if (problem !== undefined) refuse(`targets.${index}.search`, problem)
  }
  const wide = document.targets.find(({ level }) => level === 'default' || level === 'search')
  if (wide !== undefined && !caller.scope.all) {
    throw new AppError(
      'not_allowed',
      `Only users with access to every client may assign a policy ${wide.level === 'default' ? 'to all machines' : 'by a search'}.`,
    )
  }
  const assigned = uniqueBy(document.targets, targetKey).flatMap((target): MaintenanceTarget[] => {
    switch (target.level) {
      case 'client':
        return [{ type: target.level, id: target.id }]
      case 'site':
        return [{ type: target.level, id: target.id }]
      case 'agent':
        return [{ type: target.level, id: target.id }]
      default:
        return []
    }
  })
  await requireTargets(db, caller, [
    ...assigned,
    ...document.excluded_clients.map((id) => ({ type: 'client' as const, id })),
    ...document.excluded_sites.map((id) => ({ type: 'site' as const, id })),
    ...document.excluded_agents.map((id) => ({ type: 'agent' as const, id })),
  ])
}

/** Adds the position of the check to an error. */
function atPath(path: string, name: string, refuseBad: () => void): void {
  try {
    refuseBad()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const fields = Object.entries(error.fields ?? {}).map(([field, texts]) => [`${path}.${field}`, texts])
    throw new AppError(error.code, `${name}: ${error.message}`, {
      fields: Object.fromEntries(fields),
      cause: error,
    })
  }
}

function refuse(field: string, sentence: string): never {
  throw new AppError('invalid', sentence, { fields: { [field]: [sentence] } })
}

function uniqueBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()]
}
