import type { editCustomField } from '@muster/contract/api/custom-fields'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { laterThan } from '../../platform/database/later-than.ts'
import { lockRow } from '../../platform/database/lock-row.ts'
import { refuseTaken } from '../../platform/database/refuse-taken.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { refuseLimited } from '../../platform/http/refuse-limited.ts'
import { audit } from '../audit/write-audit.ts'
import { redefineVariables } from '../checks/redefine-variables.ts'
import { checkField, takenName, toColumns } from './check-field.ts'
import { findField, findFields, type FieldRow, updateField } from './queries.ts'
import { emitOwnersChanged } from './emit-owners.ts'
import { viewField, viewForAudit } from './view.ts'

export type FieldChange = Parsed<typeof editCustomField>['body'] & { id: number }

export function changeField(ctx: Context, caller: Caller, change: FieldChange): Promise<FieldRow> {
  refuseLimited(caller, 'Custom fields')
  const { id, modified, order, ...parts } = change
  return refuseTaken(takenName({ name: parts.name ?? '', model: parts.model ?? 'The same' }), () =>
    ctx.transaction(async (tx, emit) => {
      const before = await requireLockedField(tx, id)
      if (modified !== undefined && modified !== before.modified) {
        throw new AppError(
          'changed_meanwhile',
          `"${before.name}" was saved by somebody else since you opened it. Load it again before you save.`,
        )
      }
      refuseOther('model', parts.model, before.model)
      refuseOther('type', parts.type, before.type)
      const given = Object.entries(parts).filter(([, value]) => value !== undefined)
      const form = { ...viewField(before), ...Object.fromEntries(given) }
      checkField(form)
      const at = ctx.now()
      await updateField(tx, id, { ...toColumns(form), modified: laterThan(before.modified, at) })
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
      await redefineVariables(tx, emit, 'all')
      emit({ type: 'customfield.changed', ids: [id] })
      // Its name stands beside its values.
      if (row.name !== before.name || row.hide_in_summary !== before.hide_in_summary)
        await emitOwnersChanged(tx, emit, id)
      return row
    }),
  )
}

export async function requireField(db: Db, id: number): Promise<FieldRow> {
  const field = await findField(db, id)
  if (field === undefined) throw new AppError('not_found', 'This custom field does not exist (any more).')
  return field
}

export async function requireLockedField(tx: Db, id: number): Promise<FieldRow> {
  await lockRow(tx, 'custom_fields', 'id', id)
  return requireField(tx, id)
}

/** Puts the field at its new place; those of the same model are numbered anew. */
async function moveField(tx: Db, { id, model }: FieldRow, place: number): Promise<void> {
  const others = (await findFields(tx, model)).filter((field) => field.id !== id).map((field) => field.id)
  const ordered = others.toSpliced(place, 0, id)
  for (const [position, fieldId] of ordered.entries()) await updateField(tx, fieldId, { position })
}

function refuseOther(name: 'model' | 'type', wanted: string | undefined, is: string): void {
  if (wanted === undefined || wanted === is) return
  const sentence = `The ${name} of a custom field stays what it is. Add another field instead.`
  throw new AppError('invalid', sentence, { fields: { [name]: [sentence] } })
}
