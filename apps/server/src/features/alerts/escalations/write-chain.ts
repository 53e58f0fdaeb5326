import type { EscalationChainForm } from '@muster/contract/api/escalations'
import { AppError } from '@muster/contract/errors'
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
import { readChannel } from '../channels/plan-notices.ts'
import { findChannels } from '../channels/queries.ts'
import { findPeople, findSchedules } from '../on-call/queries.ts'
import { findTemplates } from '../templates/queries.ts'
import { readTemplate } from '../templates/stored-template.ts'
import { type ChainRow, findChain, readChain } from './queries.ts'

const WHAT = 'Escalation chains'

export function addChain(ctx: Context, caller: Caller, sent: EscalationChainForm): Promise<ChainRow> {
  refuseLimited(caller, WHAT)
  const taken = takenName('An escalation chain', sent.name)
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      const form = {
        ...sent,
        name: await claimName(tx, { table: 'escalation_chains', name: sent.name, taken }),
      }
      await checkForm(tx, form)
      const at = ctx.now()
      const row = await tx
        .insertInto('escalation_chains')
        .values({ ...columnsOf(form), created_at: at.toISOString(), modified: at.toISOString() })
        .returningAll()
        .executeTakeFirstOrThrow()
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'escalationchain',
        message: `Added the escalation chain "${row.name}"`,
        after: form,
        at,
        emit,
      })
      emit({ type: 'escalation_chain.changed', ids: [row.id] })
      return row
    }),
  )
}

export function changeChain(
  ctx: Context,
  caller: Caller,
  {
    id,
    modified: loaded,
    form: sent,
  }: { id: number; modified: string | undefined; form: EscalationChainForm },
): Promise<ChainRow> {
  refuseLimited(caller, WHAT)
  const taken = takenName('An escalation chain', sent.name)
  return changeRow(
    ctx,
    { taken, loaded, lock: (tx) => requireLocked(tx, id) },
    async ({ tx, emit, before, at, modified }) => {
      const form = {
        ...sent,
        name: await claimName(tx, { table: 'escalation_chains', name: sent.name, taken, before }),
      }
      await checkForm(tx, form, readChain(before))
      const row = await tx
        .updateTable('escalation_chains')
        .set({ ...columnsOf(form), modified })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow()
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'escalationchain',
        message: `Changed the escalation chain "${row.name}"`,
        before: readChain(before),
        after: form,
        at,
        emit,
      })
      emit({ type: 'escalation_chain.changed', ids: [id] })
      return row
    },
  )
}

export function removeChain(ctx: Context, caller: Caller, id: number): Promise<void> {
  refuseLimited(caller, WHAT)
  return ctx.transaction(async (tx, emit) => {
    const row = await requireLocked(tx, id)
    const [template] = (await findChainUses(tx)).get(id) ?? []
    if (template !== undefined)
      throw new AppError('conflict', `The alert template "${template}" uses it. Change the template first.`)
    // Escalations that run end at their next step.
    await tx.deleteFrom('escalation_chains').where('id', '=', id).execute()
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'escalationchain',
      message: `Deleted the escalation chain "${row.name}"`,
      before: readChain(row),
      at: ctx.now(),
      emit,
    })
    emit({ type: 'escalation_chain.changed', ids: [id] })
  })
}

export async function requireChain(db: Db, id: number): Promise<ChainRow> {
  return requireRow(await findChain(db, id), 'escalation chain')
}

/** Names of the alert templates with each chain, by the id of the chain. */
export async function findChainUses(db: Db): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>()
  for (const { name, settings } of (await findTemplates(db)).map(readTemplate)) {
    const id = settings.escalation_chain ?? null
    if (id !== null) found.set(id, [...(found.get(id) ?? []), name])
  }
  return found
}

/** The row stays locked until the transaction ends. */
async function requireLocked(tx: Db, id: number): Promise<ChainRow> {
  await lockRow(tx, 'escalation_chains', 'id', id)
  return requireChain(tx, id)
}

/** Recipients that were deleted since they were chosen may stay: their notifications fail with that reason. */
async function checkForm(tx: Db, form: EscalationChainForm, before?: EscalationChainForm): Promise<void> {
  const people = await findPeople(tx)
  // Locked against a deletion at the same time, in the order of their ids.
  const scheduleIds = new Set(form.steps.flatMap(({ schedules }) => schedules))
  for (const id of [...scheduleIds].toSorted((a, b) => a - b))
    await lockRow(tx, 'on_call_schedules', 'id', id)
  const schedules = new Set((await findSchedules(tx)).map(({ id }) => id))
  const channels = new Map((await findChannels(tx)).map((row) => [row.id, readChannel(row).kind]))
  const old = (part: 'users' | 'channels') => before?.steps.flatMap((step) => step[part]) ?? []
  for (const [index, step] of form.steps.entries()) {
    if (step.users.some((id) => !people.has(id) && !old('users').includes(id)))
      refuse(`steps.${index}.users`, 'This user does not exist.')
    if (step.schedules.some((id) => !schedules.has(id)))
      refuse(`steps.${index}.schedules`, 'This on-call schedule does not exist.')
    if (step.channels.some((id) => !channels.has(id) && !old('channels').includes(id)))
      refuse(`steps.${index}.channels`, 'This channel does not exist.')
  }
  const { mail_channel } = form
  if (mail_channel === null || mail_channel === before?.mail_channel) return
  if (channels.get(mail_channel) !== 'email') refuse('mail_channel', 'Choose an e-mail channel.')
}

function columnsOf({ name, ...settings }: EscalationChainForm) {
  return { name, settings: JSON.stringify(settings) }
}

function refuse(field: string, sentence: string): never {
  throw new AppError('invalid', `"${field}" is not valid: ${sentence}`, { fields: { [field]: [sentence] } })
}
