import { AppError } from '@muster/contract/errors'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { LoadedPolicy, PolicySet } from './policy-set.ts'
import type { PolicyRow } from './queries.ts'
import { createPolicyVisibility } from './policy-visibility.ts'

type StoredPolicy = LoadedPolicy & { row: PolicyRow }

/** Returns the policy. Throws `not_found` if no part of it is visible. */
export async function requirePolicy(
  db: Db,
  caller: Caller,
  set: PolicySet,
  id: number,
): Promise<StoredPolicy> {
  const policy = set.policies.get(id)
  const visibleScope = await createPolicyVisibility(db, caller, set)
  if (policy?.row === undefined || !visibleScope.sees(policy)) {
    throw new AppError('not_found', 'This policy does not exist, or you may not see it.')
  }
  return { ...policy, row: policy.row }
}

/** Throws for callers who see only a part of the policy and may therefore not change it. */
export async function requireWholePolicy(
  db: Db,
  caller: Caller,
  set: PolicySet,
  id: number,
): Promise<StoredPolicy> {
  const policy = await requirePolicy(db, caller, set, id)
  const visibleScope = await createPolicyVisibility(db, caller, set)
  if (visibleScope.seesWhole(policy)) return policy
  throw new AppError(
    'not_allowed',
    'This policy also applies to machines that you may not see, so you may not see all of it or change it.',
  )
}
