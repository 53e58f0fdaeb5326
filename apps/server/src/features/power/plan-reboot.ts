import type { PendingAction } from '@muster/contract/api/pending-actions'
import { AppError } from '@muster/contract/errors'
import { instantOf, isTimeZone } from '@muster/rules/schedules/zone-time'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { Db } from '../../platform/database/database.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { audit } from '../audit/write-audit.ts'
import { emitActions } from './pending-actions/emit-actions.ts'
import { deletePending, findAction, insertAction } from './pending-actions/queries.ts'
import { viewAction } from './pending-actions/view.ts'
import { zoneOf } from '../tasks/zone-of.ts'

export const REBOOT_JOB = 'power.reboot-when-due'

const LONGEST_MS = 366 * 86_400_000

/** Plans the restart of a machine, in the place of one that was planned before. It comes about by a job. */
export async function planMachineReboot(
  ctx: Context,
  caller: Caller,
  { agentId, datetime }: { agentId: string; datetime: string },
): Promise<PendingAction> {
  const agent = await requireAgent(ctx.db, agentId, caller)
  const dueAt = new Date(await readTime(ctx.db, agent, datetime))
  const now = ctx.now()
  if (dueAt <= now) refuseTime('This is over already.')
  if (dueAt.getTime() > now.getTime() + LONGEST_MS) refuseTime('At most a year from now.')
  const { agent_id } = agent
  return ctx.transaction(async (tx, emit) => {
    const before = await deletePending(tx, { agentId: agent_id })
    const due = dueAt.toISOString()
    const id = await insertAction(tx, {
      agent_id,
      action_type: 'schedreboot',
      status: 'pending',
      due,
      username: caller.username,
      entry_time: now.toISOString(),
      output: '',
    })
    await ctx.jobs.enqueue(REBOOT_JOB, { id }, { dueAt, db: tx })
    await audit(tx, {
      caller,
      action: 'add',
      object_type: 'agent',
      message: `Planned a restart of the machine for ${due}`,
      ...(before[0] === undefined ? {} : { before: { due: before[0].due } }),
      after: { id, due },
      agent,
      emit,
    })
    emitActions(emit, [...before.map((one) => one.id), id], agent_id)
    const planned = await findAction(tx, id)
    if (planned === undefined) throw new Error('a row that was just written is not there')
    return viewAction(planned)
  })
}

async function readTime(
  db: Db,
  { agent_id, hostname }: { agent_id: string; hostname: string },
  text: string,
): Promise<number> {
  const isInstant = /(Z|[+-]\d{2}:\d{2})$/.test(text)
  const atMs = Date.parse(isInstant ? text : `${text}Z`)
  if (Number.isNaN(atMs)) refuseTime('There is no such date or time.')
  if (isInstant) return atMs
  const zone = await zoneOf(db, agent_id)
  if (!isTimeZone(zone))
    refuseTime(`The time zone of ${hostname} is not known: give the time with its offset, as 18:35Z.`)
  return instantOf(zone, atMs)
}

function refuseTime(sentence: string): never {
  throw new AppError('invalid', sentence, { fields: { datetime: [sentence] } })
}
