import type {
  CustomFieldModel,
  CustomFieldValue,
  NamedFieldValue,
} from '@muster/contract/custom-field-values'
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { CustomField } from '@muster/contract/api/custom-fields'
import type { Db } from '../../platform/database/database.ts'
import type { CustomFieldsTable } from '../../platform/database/tables/clients.ts'

export type FieldRow = Selectable<CustomFieldsTable>

/** A value with the name of its field. */
export interface ValueRow {
  id: number
  field_id: number
  /** The client, site or machine that has it. */
  owner: number | string
  value: string
  name: string
  type: FieldRow['type']
  hide_in_summary: 0 | 1
}

export const OWNER_COLUMN = { client: 'client_id', site: 'site_id', agent: 'agent_id' } as const

export function findFields(db: Db, model?: CustomFieldModel): Promise<FieldRow[]> {
  return db
    .selectFrom('custom_fields')
    .selectAll()
    .$if(model !== undefined, (query) => query.where('model', '=', model ?? 'client'))
    .orderBy('model')
    .orderBy('position')
    .orderBy('id')
    .execute()
}

export function findField(db: Db, id: number): Promise<FieldRow | undefined> {
  return db.selectFrom('custom_fields').selectAll().where('id', '=', id).executeTakeFirst()
}

export function insertField(tx: Db, row: Insertable<CustomFieldsTable>): Promise<FieldRow> {
  return tx.insertInto('custom_fields').values(row).returningAll().executeTakeFirstOrThrow()
}

export function updateField(tx: Db, id: number, change: Updateable<CustomFieldsTable>): Promise<FieldRow> {
  return tx
    .updateTable('custom_fields')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteFieldRow(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('custom_fields').where('id', '=', id).execute()
}

/** Values of these clients, sites or machines, ordered by field. All values without `owners`. */
export async function findValues(
  db: Db,
  model: CustomFieldModel,
  owners?: readonly (number | string)[],
): Promise<ValueRow[]> {
  if (owners?.length === 0) return []
  const column = OWNER_COLUMN[model]
  const rows = await db
    .selectFrom('custom_field_values')
    .innerJoin('custom_fields', 'custom_fields.id', 'custom_field_values.field_id')
    .select(['custom_field_values.id', 'field_id', 'client_id', 'site_id', 'agent_id', 'value'])
    .select(['custom_fields.name', 'custom_fields.type', 'custom_fields.hide_in_summary'])
    .where('custom_fields.model', '=', model)
    .$if(owners !== undefined, (query) => query.where(column, 'in', [...(owners ?? [])]))
    .orderBy('custom_fields.position')
    .orderBy('custom_fields.id')
    .execute()
  return rows.map(({ client_id, site_id, agent_id, ...row }) => ({
    ...row,
    // Every value has exactly one owner.
    owner: (client_id ?? site_id ?? agent_id)!,
  }))
}

/** Owners of a value of this field. */
export function findOwners(db: Db, fieldId: number) {
  return db
    .selectFrom('custom_field_values')
    .leftJoin('sites', 'sites.id', 'custom_field_values.site_id')
    .select(['custom_field_values.client_id', 'sites.client_id as site_client_id', 'agent_id'])
    .where('field_id', '=', fieldId)
    .execute()
}

/** Tasks that store their result in this field. */
export function findCollectingTasks(db: Db, fieldId: number) {
  return db.selectFrom('tasks').select(['id', 'agent_id']).where('custom_field', '=', fieldId).execute()
}

export function viewField(row: FieldRow): CustomField {
  return {
    id: row.id,
    order: row.position,
    model: row.model,
    type: row.type,
    options: readTexts(row.options),
    name: row.name,
    required: row.required === 1,
    default_value_string: row.default_value_string,
    default_value_bool: row.default_value_bool === 1,
    default_values_multiple: readTexts(row.default_values_multiple),
    hide_in_ui: row.hide_in_ui === 1,
    hide_in_summary: row.hide_in_summary === 1,
    modified: row.modified,
  }
}

export function viewValue(row: ValueRow): CustomFieldValue {
  return { id: row.id, field: row.field_id, value: readValue(row.value) }
}

export function viewNamedValue(row: ValueRow): NamedFieldValue {
  const { name, type, hide_in_summary } = row
  return { ...viewValue(row), name, type, hide_in_summary: hide_in_summary === 1 }
}

export function readValue(value: string): CustomFieldValue['value'] {
  // Written by set-values.ts.
  return JSON.parse(value) as CustomFieldValue['value']
}

/** The fields of a custom field in audit rows. */
export function viewForAudit(row: FieldRow) {
  const { id: _, modified: _modified, ...parts } = viewField(row)
  return parts
}

function readTexts(text: string): string[] {
  // JSON columns, written from the contract's lists.
  return JSON.parse(text) as string[]
}
