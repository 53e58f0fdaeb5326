import type { JobActionType } from '@muster/contract/fleet-jobs/job-draft'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { readActions } from '../users/roles/queries.ts'

/** Whether the role of the caller requires the approval of another person for this action on so many machines. */
export async function needsApproval(
  db: Db,
  caller: Caller,
  { action, machines }: { action: JobActionType; machines: number },
): Promise<boolean> {
  const roles = await db
    .selectFrom('roles')
    .where((eb) =>
      eb.or([
        eb('id', 'in', eb.selectFrom('users').select('role_id').where('users.id', '=', caller.userId)),
        eb('id', '=', caller.apiKey?.roleId ?? 0),
      ]),
    )
    .select(['approve_jobs_over', 'approve_job_actions'])
    .execute()
  return roles.some(
    ({ approve_jobs_over: over, approve_job_actions: actions }) =>
      readActions(actions).includes(action) || (over !== null && machines > over),
  )
}
