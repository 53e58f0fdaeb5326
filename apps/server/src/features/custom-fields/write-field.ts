import type { createCustomField, editCustomField } from '@muster/contract/api/custom-fields'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import { checkFieldValue } from '@muster/rules/agents/custom-fields'
import type { Event } from '@muster/contract/events'
import type { Context } from '../../context.ts'
import { claimName } from '../../platform/database/claim-name.ts'
import { changeRow, lockRow, refuseTaken, requireRow } from '../../platform/database/change-row.ts'
import { type Caller, refuseLimited } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import type { Db } from '../../platform/database/database.ts'
import {
  deleteFieldRow,
  type FieldRow,
  findCollectingTasks,
  findField,
  findFields,
  findOwners,
  insertField,
  updateField,
  viewField,
  viewForAudit,
} from './queries.ts'

/** Adds a custom field as the last of its model. */
export function addField(ctx: Context, caller: Caller, sent: FieldForm): Promise<FieldRow> {
  refuseLimited(caller, 'Custom fields')
  checkField(sent)
  return refuseTaken(takenName(sent), () =>
    ctx.transaction(async (tx, emit) => {
      const at = ctx.now()
      const claim = { table: 'custom_fields', taken: takenName(sent), within: { model: sent.model } } as const
      const form = { ...sent, name: await claimName(tx, { ...claim, name: sent.name }) }
      const { length } = await findFields(tx, form.model)
      const row = await insertField(tx, {
        ...toColumns(form),
        model: form.model,
        type: form.type,
        position: length,
        created_at: at.toISOString(),
        modified: at.toISOString(),
      })
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'customfield',
        message: `Added the custom field "${row.name}" of ${row.model}s`,
        after: viewForAudit(row),
        at,
        emit,
      })
      await ctx.hooks.variablesChanged(tx, emit, 'all')
      emit({ type: 'customfield.changed', ids: [row.id] })
      return row
    }),
  )
}

type FieldChange = Parsed<typeof editCustomField>['body'] & { id: number }

export function changeField(ctx: Context, caller: Caller, change: FieldChange): Promise<FieldRow> {
  refuseLimited(caller, 'Custom fields')
  const { id, modified: loaded, order, ...parts } = change
  const taken = takenName({ name: parts.name ?? '', model: parts.model ?? 'The same' })
  return changeRow(
    ctx,
    { taken, loaded, lock: (tx) => requireLockedField(tx, id) },
    async ({ tx, emit, before, at, modified }) => {
      refuseOther('model', parts.model, before.model)
      refuseOther('type', parts.type, before.type)
      const given = Object.entries(parts).filter(([, value]) => value !== undefined)
      const claim = { table: 'custom_fields', taken, before, within: { model: before.model } } as const
      const name = await claimName(tx, { ...claim, name: parts.name ?? before.name })
      const form = { ...viewField(before), ...Object.fromEntries(given), name }
      checkField(form)
      await updateField(tx, id, { ...toColumns(form), modified })
      if (order !== undefined) await moveField(tx, before, order)
      const row = await requireLockedField(tx, id)
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'customfield',
        message: `Changed the custom field "${row.name}" of ${row.model}s`,
        before: viewForAudit(before),
        after: viewForAudit(row),
        at,
        emit,
      })
      await ctx.hooks.variablesChanged(tx, emit, 'all')
      emit({ type: 'customfield.changed', ids: [id] })
      // Its name is shown with its values.
      if (row.name !== before.name || row.hide_in_summary !== before.hide_in_summary)
        await emitOwnersChanged(tx, emit, id)
      return row
    },
  )
}

export async function requireField(db: Db, id: number): Promise<FieldRow> {
  return requireRow(await findField(db, id), 'custom field')
}

async function requireLockedField(tx: Db, id: number): Promise<FieldRow> {
  await lockRow(tx, 'custom_fields', 'id', id)
  return requireField(tx, id)
}

/** Moves the field, and renumbers the fields of the same model. */
async function moveField(tx: Db, { id, model }: FieldRow, index: number): Promise<void> {
  const others = (await findFields(tx, model)).filter((field) => field.id !== id).map((field) => field.id)
  const ordered = others.toSpliced(index, 0, id)
  for (const [position, fieldId] of ordered.entries()) await updateField(tx, fieldId, { position })
}

function refuseOther(name: 'model' | 'type', wanted: string | undefined, is: string): void {
  if (wanted === undefined || wanted === is) return
  const sentence = `The ${name} of a custom field cannot be changed. Add another field instead.`
  throw new AppError('invalid', sentence, { fields: { [name]: [sentence] } })
}

/** Deletes a custom field with all of its values. */
export function removeField(ctx: Context, caller: Caller, id: number): Promise<void> {
  refuseLimited(caller, 'Custom fields')
  return ctx.transaction(async (tx, emit) => {
    const row = await requireLockedField(tx, id)
    await emitOwnersChanged(tx, emit, id)
    await deleteFieldRow(tx, id)
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'customfield',
      message: `Deleted the custom field "${row.name}" of ${row.model}s`,
      before: viewForAudit(row),
      at: ctx.now(),
      emit,
    })
    await ctx.hooks.variablesChanged(tx, emit, 'all')
    emit({ type: 'customfield.changed', ids: [id] })
  })
}

type FieldForm = Parsed<typeof createCustomField>['body']
type FieldColumns = Pick<
  FieldRow,
  | 'options'
  | 'name'
  | 'required'
  | 'default_value_string'
  | 'default_value_bool'
  | 'default_values_multiple'
  | 'hide_in_ui'
  | 'hide_in_summary'
>

/** Refuses a definition that no value can satisfy, or whose default is invalid. */
function checkField(form: FieldForm): void {
  const { type, options, required, name } = form
  const hasChoices = type === 'single' || type === 'multiple'
  if (hasChoices && options.length === 0) refuse('options', 'Add at least one choice.')
  if (new Set(options).size < options.length) refuse('options', 'Add each choice only once.')
  if (required && type === 'checkbox')
    refuse('required', 'A checkbox is never empty, so it cannot be required.')
  if (type === 'checkbox') return
  const given = type === 'multiple' ? form.default_values_multiple : form.default_value_string.trim()
  const field = type === 'multiple' ? 'default_values_multiple' : 'default_value_string'
  const wrong = checkFieldValue({ name: 'The default', type, options, required: false }, given)
  if (wrong !== null) refuse(field, wrong)
  if (required && given.length === 0)
    refuse(field, `A required field needs a default, because "${name}" may already be missing.`)
}

/** The form as columns. Fields that its type does not use are emptied. */
function toColumns(form: FieldForm): FieldColumns {
  const { type } = form
  const hasChoices = type === 'single' || type === 'multiple'
  return {
    name: form.name,
    options: JSON.stringify(hasChoices ? form.options : []),
    required: form.required ? 1 : 0,
    default_value_string: type === 'multiple' || type === 'checkbox' ? '' : form.default_value_string.trim(),
    default_value_bool: type === 'checkbox' && form.default_value_bool ? 1 : 0,
    default_values_multiple: JSON.stringify(type === 'multiple' ? form.default_values_multiple : []),
    hide_in_ui: form.hide_in_ui ? 1 : 0,
    hide_in_summary: form.hide_in_summary ? 1 : 0,
  }
}

function takenName({ name, model }: { name: string; model: string }) {
  const whose = { client: 'Clients', site: 'Sites', agent: 'Machines' }[model] ?? model
  return { field: 'name', sentence: `${whose} already have a field named "${name}".` }
}

function refuse(field: string, sentence: string): never {
  throw new AppError('invalid', sentence, { fields: { [field]: [sentence] } })
}

const SLICE = 500

/** Emits changes for owners of values of this field, and for tasks that store their result in it. */
async function emitOwnersChanged(tx: Db, emit: (event: Event) => void, fieldId: number): Promise<void> {
  const owners = await findOwners(tx, fieldId)
  const agents = owners.map(({ agent_id }) => agent_id).filter((id) => id !== null)
  for (let from = 0; from < agents.length; from += SLICE) {
    const ids = agents.slice(from, from + SLICE)
    emit({ type: 'agent.changed', ids, agent_ids: ids })
  }
  const clients = owners
    .map(({ client_id, site_client_id }) => client_id ?? site_client_id)
    .filter((id) => id !== null)
  if (clients.length > 0) emit({ type: 'client.changed', ids: [...new Set(clients)] })
  const tasks = await findCollectingTasks(tx, fieldId)
  for (let from = 0; from < tasks.length; from += SLICE) {
    const slice = tasks.slice(from, from + SLICE)
    const agent_ids = slice.map(({ agent_id }) => agent_id)
    emit({ type: 'task.changed', ids: slice.map(({ id }) => id), agent_ids })
  }
}
