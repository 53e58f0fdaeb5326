import {
  createTask,
  deleteTask,
  editTask,
  getTask,
  getTaskRun,
  listAgentTasks,
  listTaskRuns,
  listTasks,
  runTask,
  TASK_DEFAULTS,
} from '@muster/contract/api/tasks'
import { AppError } from '@muster/contract/errors'
import { PolicyTask } from '@muster/contract/policies/policy-content'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { ownerOf } from '../checks/write-check.ts'
import { addTask, changeTask, removeTask, requireTask } from './write-task.ts'
import { findTasks } from './queries.ts'
import { runNow } from './run-now.ts'
import { findRun, findRuns } from './run-queries.ts'
import { readActions, viewRun, viewTask, viewTasks } from './view.ts'

export function tasksRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, listAgentTasks, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    return viewTasks(ctx.db, await findTasks(ctx.db, caller, agent.agent_id))
  })
  route(api, listTasks, async ({ caller }) => viewTasks(ctx.db, await findTasks(ctx.db, caller)))
  route(api, createTask, async ({ body, caller }) => {
    const { agent, policy, task_supported_platforms, ...task } = body
    const owner = ownerOf({ agent, policy })
    if ('agent' in owner) {
      if (task_supported_platforms !== undefined) {
        const sentence = 'Only a task of a policy has platforms.'
        throw new AppError('invalid', sentence, { fields: { task_supported_platforms: [sentence] } })
      }
      return viewTask(ctx.db, await addTask(ctx, caller, { ...task, ...owner }))
    }
    return ctx.hooks.addPolicyItem(ctx, caller, {
      policyId: owner.policy,
      added: {
        kind: 'tasks',
        // Omitted fields get their default.
        item: PolicyTask.parse({ task: { ...TASK_DEFAULTS, ...task }, task_supported_platforms }),
      },
    })
  })
  route(api, getTask, async ({ params, caller }) =>
    viewTask(ctx.db, await requireTask(ctx.db, caller, params.id)),
  )
  route(api, editTask, async ({ params, body, caller }) =>
    viewTask(ctx.db, await changeTask(ctx, caller, params.id, body)),
  )
  route(api, deleteTask, async ({ params, caller }) => {
    await removeTask(ctx, caller, params.id)
    return null
  })
  route(api, runTask, async ({ params, body, caller }) => {
    await runNow({ ctx, fleet, caller }, params.id, body.agent_id)
    return null
  })
  route(api, listTaskRuns, async ({ params, caller }) => {
    const task = await requireTask(ctx.db, caller, params.id)
    return (await findRuns(ctx.db, task.id)).map(viewRun)
  })
  route(api, getTaskRun, async ({ params, caller }) => {
    const task = await requireTask(ctx.db, caller, params.id)
    const run = await findRun(ctx.db, task.id, params.run)
    if (run === undefined) throw new AppError('not_found', 'This run no longer exists.')
    return { ...viewRun(run), actions: readActions(run.actions) }
  })
}
