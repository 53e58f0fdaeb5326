import type { PolicyTarget } from '@muster/contract/api/policies'
import type { AssignedPolicies } from '@muster/contract/policies/assigned-policies'
import { createHash } from 'node:crypto'
import { type LoadedPolicy, targetKey, type PolicySet } from './policy-set.ts'

export type AssignmentTarget =
  | { level: 'client' | 'site'; id: number }
  | { level: 'agent'; id: string }
  | { level: 'default' }
export interface Listed {
  id: number
  monitoring_type: 'server' | 'workstation' | null
}

/** The policies assigned directly to the target, in order. */
export function listAt(set: PolicySet, target: AssignmentTarget): Listed[] {
  const key = keyOf(target)
  return [...set.policies.values()]
    .flatMap(({ id, document, positions }) =>
      document.targets.flatMap((target, index) =>
        targetKey(target) === key
          ? [{ id, monitoring_type: slotOf(target), position: positions[index] ?? 0 }]
          : [],
      ),
    )
    .toSorted((a, b) => a.position - b.position || a.id - b.id)
    .map(({ id, monitoring_type }) => ({ id, monitoring_type }))
}

export function viewAssignment(set: PolicySet, target: AssignmentTarget, name: string): AssignedPolicies {
  const listed = listAt(set, target)
  return {
    name,
    policies: listed.flatMap(({ id, monitoring_type }) => {
      const document = set.policies.get(id)?.document
      if (document === undefined) return []
      return [
        { id, name: document.name, active: document.active, enforced: document.enforced, monitoring_type },
      ]
    }),
    modified: digestOf(listed),
  }
}

/**
 * The policies that would change with this list at the target. `moved`: only the order changes, which is not part of a
 * policy's document.
 */
export function changesFor(
  set: PolicySet,
  target: AssignmentTarget,
  wanted: readonly Listed[],
): { changed: LoadedPolicy[]; moved: LoadedPolicy[] } {
  const key = keyOf(target)
  const ids = new Set([...listAt(set, target), ...wanted].map(({ id }) => id))
  const changed: LoadedPolicy[] = []
  const moved: LoadedPolicy[] = []
  for (const id of ids) {
    const policy = set.policies.get(id)
    if (policy === undefined) continue
    const { document, positions } = policy
    const others = document.targets.flatMap((target, index) =>
      targetKey(target) === key ? [] : [{ target, position: positions[index] ?? 0 }],
    )
    const here = wanted.flatMap((one, index) =>
      one.id === id ? [{ target: targetAt(target, one), position: index + 1 }] : [],
    )
    const next = [...others, ...here]
    const later: LoadedPolicy = {
      ...policy,
      document: { ...document, targets: next.map(({ target }) => target) },
      positions: next.map(({ position }) => position),
    }
    const isSame = textOf(document.targets) === textOf(later.document.targets)
    if (isSame) moved.push(later)
    else changed.push(later)
  }
  return { changed, moved }
}

/** Independent of the order of the targets. */
function textOf(targets: readonly PolicyTarget[]): string {
  return targets
    .map((target) => JSON.stringify([targetKey(target), slotOf(target), 'search' in target && target.search]))
    .toSorted()
    .join('\n')
}

export function digestOf(listed: readonly Listed[]): string {
  return createHash('sha256').update(JSON.stringify(listed)).digest('hex').slice(0, 16)
}

function keyOf(target: AssignmentTarget): string {
  return 'id' in target ? `${target.level} ${target.id}` : target.level
}

function targetAt(target: AssignmentTarget, { monitoring_type }: Listed): PolicyTarget {
  if (target.level === 'agent') return target
  return { ...target, monitoring_type }
}

function slotOf(target: PolicyTarget): Listed['monitoring_type'] {
  return 'monitoring_type' in target ? target.monitoring_type : null
}
