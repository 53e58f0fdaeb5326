import { AppError } from '@muster/contract/errors'
import type { Db } from '../../platform/database/database.ts'
import type { Scope } from '../../platform/http/caller.ts'
import { type CheckRow, findCheck } from './queries.ts'

/** The check, or `not_found`, also where the caller may not see its machine. */
export async function requireCheck(db: Db, caller: { scope: Scope }, id: number): Promise<CheckRow> {
  const check = await findCheck(db, caller, id)
  if (check === undefined)
    throw new AppError('not_found', 'This check does not exist, or you may not see it.')
  return check
}

/** One of the machine's own: what comes from a policy is changed there. */
export async function requireOwnCheck(db: Db, caller: { scope: Scope }, id: number): Promise<CheckRow> {
  const check = await requireCheck(db, caller, id)
  if (check.policy_id === null) return check
  throw new AppError(
    'conflict',
    `This check comes from the policy "${check.policy_name ?? 'that was just deleted'}": change it there.`,
  )
}
