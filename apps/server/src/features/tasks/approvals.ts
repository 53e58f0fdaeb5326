import {
  listWaitingDefinitions,
  approveDefinitions,
  type WaitingDefinition,
} from '@muster/contract/api/tasks'
import { AppError } from '@muster/contract/errors'
import type { Event } from '@muster/contract/events'
import { nameCheck } from '@muster/rules/checks/check-name'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { audit } from '../audit/write-audit.ts'
import { markChecksApproved } from '../checks/mark-checks-stale.ts'
import { readSettings } from '../checks/view.ts'
import { markTasksApproved } from './mark-tasks-stale.ts'

// Tasks and script checks reach the machine of a server only in the revision that a superuser approved. A revision is a
// digest of all that would run, so a later change of a policy, a script, a snippet, a key or a custom field ends it.

export function approvalsRoutes(api: Api, ctx: Context): void {
  route(api, listWaitingDefinitions, async ({ params, caller }) => {
    const { agent_id } = await requireAgent(ctx.db, params.agent_id, caller)
    return findWaiting(ctx.db, agent_id)
  })

  route(api, approveDefinitions, async ({ params, body, caller }) => {
    return ctx.transaction(async (tx, emit) => {
      const agent = await requireAgent(tx, params.agent_id, caller)
      if (!caller.isSuperuser)
        throw new AppError('not_allowed', 'Only superusers approve what runs on the machine of the server.')
      const waiting = await findWaiting(tx, agent.agent_id)
      const approved = waiting.filter((one) =>
        body.definitions.some(({ kind, id, revision }) => sameAs(one, { kind, id, revision })),
      )
      // Changed since the user saw it.
      if (approved.length < body.definitions.length)
        throw new AppError(
          'changed_meanwhile',
          'One of these was changed meanwhile. Reload and look at it again.',
        )
      await approve(tx, emit, agent.agent_id, approved)
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'agent',
        message: `Approved ${approved
          .map(({ name }) => `"${name}"`)
          .join(', ')
          .slice(0, 200)} for "${agent.hostname}"`,
        after: { definitions: approved },
        agent,
        at: ctx.now(),
        emit,
      })
      return { approved: approved.length }
    })
  })
}

type Reference = Pick<WaitingDefinition, 'kind' | 'id' | 'revision'>

const sameAs = (a: Reference, b: Reference) => a.kind === b.kind && a.id === b.id && a.revision === b.revision

async function findWaiting(db: Db, agentId: string): Promise<WaitingDefinition[]> {
  const tasks = await db
    .selectFrom('tasks')
    .innerJoin('agents', 'agents.agent_id', 'tasks.agent_id')
    .leftJoin('policies', 'policies.id', 'tasks.policy_id')
    .select(['tasks.id', 'tasks.name', 'tasks.revision', 'policies.name as policy_name'])
    .where('tasks.agent_id', '=', agentId)
    .where('server_machine', '=', 1)
    .where('revision', '!=', '')
    .whereRef('revision', '!=', 'approved_revision')
    .where('overridden_by', 'is', null)
    .orderBy('tasks.id')
    .execute()
  const checks = await db
    .selectFrom('checks')
    .innerJoin('agents', 'agents.agent_id', 'checks.agent_id')
    .innerJoin('scripts', 'scripts.id', 'checks.script_id')
    .leftJoin('policies', 'policies.id', 'checks.policy_id')
    .select(['checks.id', 'check_type', 'settings', 'checks.revision', 'policies.name as policy_name'])
    .select('scripts.name as script_name')
    .where('checks.agent_id', '=', agentId)
    .where('server_machine', '=', 1)
    .where('check_type', '=', 'script')
    .whereRef('revision', '!=', 'approved_revision')
    .where('overridden_by', 'is', null)
    .orderBy('checks.id')
    .execute()
  return [
    ...tasks.map((task) => ({ kind: 'task' as const, ...task })),
    ...checks.map((row) => ({
      kind: 'check' as const,
      id: row.id,
      name: nameCheck({ settings: readSettings(row), script_name: row.script_name }),
      revision: row.revision,
      policy_name: row.policy_name,
    })),
  ]
}

async function approve(
  tx: Db,
  emit: (event: Event) => void,
  agentId: string,
  approved: readonly WaitingDefinition[],
): Promise<void> {
  const idsOf = (kind: WaitingDefinition['kind']) =>
    approved.filter((one) => one.kind === kind).map(({ id }) => id)
  const taskIds = idsOf('task')
  const checkIds = idsOf('check')
  if (taskIds.length > 0) await markTasksApproved(tx, emit, { agentId, taskIds })
  if (checkIds.length > 0) await markChecksApproved(tx, emit, { agentId, checkIds })
}
