import { randomUUID } from 'node:crypto'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { Fleet } from '../agents/fleet.ts'
import { audit } from '../audit/write-audit.ts'
import { requireTask } from './require-task.ts'

/** Runs a task on its machine now. */
export async function runNow(ctx: Context, fleet: Fleet, caller: Caller, id: number): Promise<void> {
  const task = await requireTask(ctx.db, caller, id)
  const { name, hostname, agent_id } = task
  if (task.enabled === 0) throw new AppError('conflict', `"${name}" is switched off. Switch it on first.`)
  if (task.overridden_by !== null)
    throw new AppError('conflict', `"${name}" rests: an enforced policy has a task of that name.`)
  if (task.revision === '') {
    throw new AppError(
      'conflict',
      `"${name}" cannot run: one of its scripts was deleted, or they are too large together.`,
    )
  }
  const input = { id, run_id: randomUUID(), trigger: 'manual' as const }
  const sent = await fleet.sendChore(agent_id, 'run-task', { input, author: caller.username })
  if (!sent) throw new AppError('agent_offline', `${hostname} is not connected.`)
  await ctx.transaction((tx, emit) =>
    audit(tx, {
      caller,
      action: 'task_run',
      object_type: 'automatedtask',
      message: `Ran the task "${name}" on "${hostname}"`,
      agent: task,
      at: ctx.now(),
      emit,
    }),
  )
}
