import type { CustomFieldModel, CustomFieldPayloads } from '@muster/contract/custom-field-values'
import { AppError } from '@muster/contract/errors'
import {
  type FieldPayload,
  type FieldValue,
  isEmptyValue,
  readFieldPayload,
} from '@muster/rules/agents/custom-fields'
import type { Db } from '../../platform/database/database.ts'
import { lockRow } from '../../platform/database/change-row.ts'
import { findFields, findValues, OWNER_COLUMN, readValue, viewField } from './queries.ts'

export interface ValueChanges {
  /** Changed values by field name, for the audit log. */
  before: Record<string, FieldValue | null>
  after: Record<string, FieldValue | null>
}

export interface Owner {
  model: CustomFieldModel
  id: number | string
}

/**
 * Sets values of a client, site or machine, in the transaction of its change. Returns the changes, or undefined without
 * any. Fields that are not named keep their values; an empty value is removed.
 */
export async function setFieldValues(
  tx: Db,
  owner: Owner,
  payloads: CustomFieldPayloads | undefined,
): Promise<ValueChanges | undefined> {
  if (payloads === undefined || payloads.length === 0) return undefined
  // The second of two concurrent changes sees the result of the first.
  if (owner.model === 'agent') await lockRow(tx, 'agents', 'agent_id', owner.id)
  else await lockRow(tx, owner.model === 'client' ? 'clients' : 'sites', 'id', owner.id)
  const fields = new Map((await findFields(tx, owner.model)).map((row) => [row.id, viewField(row)]))
  const stored = new Map((await findValues(tx, owner.model, [owner.id])).map((row) => [row.field_id, row]))
  const changes: ValueChanges = { before: {}, after: {} }
  const wrongs: Record<string, string[]> = {}
  const seen = new Set<number>()
  for (const { field: fieldId, ...given } of payloads) {
    const payload = byKind(given)
    const field = fields.get(fieldId)
    const refuse = (sentence: string) => (wrongs[`custom_fields.${fieldId}`] = [sentence])
    if (field === undefined) {
      refuse(`This custom field of a ${NOUNS[owner.model]} does not exist (${fieldId}).`)
      continue
    }
    if (seen.has(fieldId)) refuse(`${field.name} is given twice. Send it once.`)
    seen.add(fieldId)
    const before = stored.get(fieldId)
    const old = before === undefined ? null : readValue(before.value)
    const read = readFieldPayload(field, payload)
    if ('wrong' in read) {
      // A stored value may stay, even if its choice was removed.
      const isKept = JSON.stringify(payload.multiple_value ?? payload.string_value) === before?.value
      if (before === undefined || !isKept) refuse(read.wrong)
      continue
    }
    const value = isEmptyValue(read.value) ? null : read.value
    if (JSON.stringify(value) === JSON.stringify(old)) continue
    changes.before[field.name] = old
    changes.after[field.name] = value
    await storeValue(tx, owner, { fieldId, rowId: before?.id, value })
  }
  const [first] = Object.values(wrongs)
  if (first !== undefined) throw new AppError('invalid', first.join(' '), { fields: wrongs })
  return Object.keys(changes.after).length === 0 ? undefined : changes
}

/** A stored value as a payload of its kind. */
function byKind({ value, ...payload }: Omit<CustomFieldPayloads[number], 'field'>): FieldPayload {
  if (value === undefined) return payload
  if (typeof value === 'boolean') return { ...payload, bool_value: value }
  return { ...payload, ...(typeof value === 'string' ? { string_value: value } : { multiple_value: value }) }
}

async function storeValue(
  tx: Db,
  owner: Owner,
  change: { fieldId: number; rowId: number | undefined; value: FieldValue | null },
): Promise<void> {
  const { fieldId, rowId, value } = change
  if (value === null) {
    if (rowId !== undefined) await tx.deleteFrom('custom_field_values').where('id', '=', rowId).execute()
    return
  }
  const text = JSON.stringify(value)
  const column = OWNER_COLUMN[owner.model]
  await tx
    .insertInto('custom_field_values')
    .values({
      field_id: fieldId,
      client_id: null,
      site_id: null,
      agent_id: null,
      value: text,
      [column]: owner.id,
    })
    .onConflict((conflict) => conflict.columns([column, 'field_id']).doUpdateSet({ value: text }))
    .execute()
}

const NOUNS = { client: 'client', site: 'site', agent: 'machine' } as const
