import type { PolicyItemRef } from '@muster/contract/policies/policy-items'
import { randomUUID } from 'node:crypto'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { refuseOnServerMachine } from '../agents/refuse-server-machine.ts'
import { audit } from '../audit/write-audit.ts'
import { findPolicyTaskRows, type TaskRow } from './queries.ts'
import { requireTask } from './write-task.ts'

interface RunParts {
  ctx: Context
  fleet: Fleet
  caller: Caller
}

/** Runs a task on its machine now. `agentId`: the machine named by the caller. */
export async function runNow({ ctx, fleet, caller }: RunParts, id: number, agentId?: string): Promise<void> {
  const task = await requireTask(ctx.db, caller, id)
  const { hostname, agent_id } = task
  if (agentId !== undefined && agentId !== agent_id) {
    const sentence = `This is the task of ${hostname}. Every machine has its own: use GET /agents/${agentId}/tasks/.`
    throw new AppError('invalid', sentence, { fields: { agent_id: [sentence] } })
  }
  refuseOnServerMachine(task, caller)
  refuseToRun(task)
  if (!(await send(fleet, caller, task))) {
    throw new AppError('agent_offline', `${hostname} is offline. Try again when it is connected.`)
  }
  await noteRuns(ctx, caller, [task])
}

/** Runs a policy task on each visible connected machine that has it. */
export async function runPolicyTaskNow(
  ctx: Context,
  fleet: Fleet,
  caller: Caller,
  item: PolicyItemRef,
): Promise<{ sent: number; offline: number }> {
  const all = await findPolicyTaskRows(ctx.db, caller, item)
  const tasks = all.filter(({ server_machine }) => server_machine === 0 || caller.isSuperuser)
  for (const task of tasks) refuseToRun(task)
  const reached = await Promise.all(tasks.map((task) => send(fleet, caller, task)))
  const sent = tasks.filter((_, index) => reached[index] === true)
  await noteRuns(ctx, caller, sent)
  return { sent: sent.length, offline: tasks.length - sent.length }
}

function refuseToRun(task: TaskRow): void {
  const { name, enabled, overridden_by, revision } = task
  if (enabled === 0) throw new AppError('conflict', `"${name}" is switched off. Switch it on first.`)
  if (overridden_by !== null)
    throw new AppError('conflict', `"${name}" is overridden by a task of an enforced policy.`)
  if (revision === '') {
    throw new AppError(
      'conflict',
      `"${name}" cannot run: a script was deleted, or its scripts are too large together.`,
    )
  }
  if (task.server_machine === 1 && revision !== task.approved_revision)
    throw new AppError(
      'conflict',
      `"${name}" waits for the approval of a superuser, because ${task.hostname} is the machine of the server.`,
    )
}

function send(fleet: Fleet, caller: Caller, { id, agent_id }: TaskRow): Promise<boolean> {
  const input = { id, run_id: randomUUID(), trigger: 'manual' as const }
  return fleet.sendAgentCommand(agent_id, 'run-task', { input, author: caller.username })
}

async function noteRuns(ctx: Context, caller: Caller, tasks: readonly TaskRow[]): Promise<void> {
  await ctx.transaction(async (tx, emit) => {
    for (const task of tasks) {
      await audit(tx, {
        caller,
        action: 'task_run',
        object_type: 'automatedtask',
        message: `Ran the task "${task.name}" on "${task.hostname}"`,
        agent: task,
        at: ctx.now(),
        emit,
      })
    }
  })
}
