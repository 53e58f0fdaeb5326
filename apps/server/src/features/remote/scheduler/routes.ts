import type { SystemTaskAction } from '@muster/contract/agent/scheduler'
import { changeSystemTask, listSystemTasks } from '@muster/contract/api/scheduler'
import type { Context } from '../../../context.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import { requestAgent } from '../../agents/request-agent.ts'
import { requireAgent } from '../../agents/require-agent.ts'

const DONE: Record<SystemTaskAction, string> = { run: 'Started', enable: 'Enabled', disable: 'Disabled' }

export function schedulerRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, listSystemTasks, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    const order = { input: { name: null }, author: caller.username }
    return (await fleet.ask(agent, 'list-system-tasks', order)).tasks
  })
  route(api, changeSystemTask, ({ params: { agent_id: agentId }, body, caller }) =>
    requestAgent(
      ctx,
      { fleet, caller, agentId },
      {
        name: 'change-system-task',
        input: body,
        action: body.action === 'run' ? 'task_run' : 'modify',
        object_type: 'systemtask',
        describe: (task) => `${DONE[body.action]} the system task "${task?.name ?? body.name}"`,
      },
    ),
  )
}
