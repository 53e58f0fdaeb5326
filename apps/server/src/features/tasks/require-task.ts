import { AppError } from '@muster/contract/errors'
import type { Db } from '../../platform/database/database.ts'
import type { Scope } from '../../platform/http/caller.ts'
import { findTask, type TaskRow } from './queries.ts'

/** The task, or `not_found`, also where the caller may not see its machine. */
export async function requireTask(db: Db, caller: { scope: Scope }, id: number): Promise<TaskRow> {
  const task = await findTask(db, caller, id)
  if (task === undefined) throw new AppError('not_found', 'This task does not exist, or you may not see it.')
  return task
}

/** One of the machine's own: what comes from a policy is changed there. */
export async function requireOwnTask(db: Db, caller: { scope: Scope }, id: number): Promise<TaskRow> {
  const task = await requireTask(db, caller, id)
  if (task.policy_id === null) return task
  throw new AppError(
    'conflict',
    `This task comes from the policy "${task.policy_name ?? 'that was just deleted'}": change it there.`,
  )
}
