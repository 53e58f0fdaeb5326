import type { OnCallForm } from '@muster/contract/api/on-call'
import { AppError } from '@muster/contract/errors'
import { findRotationProblem } from '@muster/rules/schedules/on-call'
import type { Context } from '../../../context.ts'
import { claimName } from '../../../platform/database/claim-name.ts'
import {
  changeRow,
  lockRow,
  refuseTaken,
  requireRow,
  takenName,
} from '../../../platform/database/change-row.ts'
import type { Db } from '../../../platform/database/database.ts'
import { type Caller, refuseLimited } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { findChains, readChain } from '../escalations/queries.ts'
import { findPeople, findSchedule, type OnCallRow, readSchedule } from './queries.ts'

const WHAT = 'On-call schedules'

export function addSchedule(ctx: Context, caller: Caller, sent: OnCallForm): Promise<OnCallRow> {
  refuseLimited(caller, WHAT)
  const taken = takenName('An on-call schedule', sent.name)
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      const form = {
        ...sent,
        name: await claimName(tx, { table: 'on_call_schedules', name: sent.name, taken }),
      }
      await checkForm(tx, form)
      const at = ctx.now()
      const row = await tx
        .insertInto('on_call_schedules')
        .values({ ...columnsOf(form), created_at: at.toISOString(), modified: at.toISOString() })
        .returningAll()
        .executeTakeFirstOrThrow()
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'oncallschedule',
        message: `Added the on-call schedule "${row.name}"`,
        after: form,
        at,
        emit,
      })
      emit({ type: 'on_call_schedule.changed', ids: [row.id] })
      return row
    }),
  )
}

export function changeSchedule(
  ctx: Context,
  caller: Caller,
  { id, modified: loaded, form: sent }: { id: number; modified: string | undefined; form: OnCallForm },
): Promise<OnCallRow> {
  refuseLimited(caller, WHAT)
  const taken = takenName('An on-call schedule', sent.name)
  return changeRow(
    ctx,
    { taken, loaded, lock: (tx) => requireLocked(tx, id) },
    async ({ tx, emit, before, at, modified }) => {
      const form = {
        ...sent,
        name: await claimName(tx, { table: 'on_call_schedules', name: sent.name, taken, before }),
      }
      await checkForm(tx, form, readSchedule(before))
      const row = await tx
        .updateTable('on_call_schedules')
        .set({ ...columnsOf(form), modified })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow()
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'oncallschedule',
        message: `Changed the on-call schedule "${row.name}"`,
        before: readSchedule(before),
        after: form,
        at,
        emit,
      })
      emit({ type: 'on_call_schedule.changed', ids: [id] })
      return row
    },
  )
}

export function removeSchedule(ctx: Context, caller: Caller, id: number): Promise<void> {
  refuseLimited(caller, WHAT)
  return ctx.transaction(async (tx, emit) => {
    const row = await requireLocked(tx, id)
    const [chain] = await findUses(tx, id)
    if (chain !== undefined)
      throw new AppError('conflict', `The escalation chain "${chain}" uses it. Change the chain first.`)
    await tx.deleteFrom('on_call_schedules').where('id', '=', id).execute()
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'oncallschedule',
      message: `Deleted the on-call schedule "${row.name}"`,
      before: readSchedule(row),
      at: ctx.now(),
      emit,
    })
    emit({ type: 'on_call_schedule.changed', ids: [id] })
  })
}

export async function requireSchedule(db: Db, id: number): Promise<OnCallRow> {
  return requireRow(await findSchedule(db, id), 'on-call schedule')
}

/** Names of the escalation chains that notify a schedule. */
export async function findUses(db: Db, id: number): Promise<string[]> {
  const chains = (await findChains(db)).map(readChain)
  return chains
    .filter(({ steps }) => steps.some(({ schedules }) => schedules.includes(id)))
    .map(({ name }) => name)
}

/** The row stays locked until the transaction ends. */
async function requireLocked(tx: Db, id: number): Promise<OnCallRow> {
  await lockRow(tx, 'on_call_schedules', 'id', id)
  return requireSchedule(tx, id)
}

/** Users who were deleted since they were chosen may stay. */
async function checkForm(tx: Db, form: OnCallForm, before?: OnCallForm): Promise<void> {
  const problem = findRotationProblem(form)
  if (problem !== undefined) refuse(problem.field, problem.sentence)
  const people = await findPeople(tx)
  const known = new Set([...people.keys(), ...(before === undefined ? [] : usersOf(before))])
  if (form.members.some((id) => !known.has(id))) refuse('members', 'This user does not exist.')
  if (form.overrides.some(({ user }) => !known.has(user))) refuse('overrides', 'This user does not exist.')
}

const usersOf = ({ members, overrides }: OnCallForm) => [...members, ...overrides.map(({ user }) => user)]

function columnsOf({ name, ...settings }: OnCallForm) {
  return { name, settings: JSON.stringify(settings) }
}

function refuse(field: string, sentence: string): never {
  throw new AppError('invalid', `"${field}" is not valid: ${sentence}`, { fields: { [field]: [sentence] } })
}
