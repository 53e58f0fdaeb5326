import type { Context } from '../../context.ts'
import { refuseTaken } from '../../platform/database/refuse-taken.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { refuseLimited } from '../../platform/http/refuse-limited.ts'
import { audit } from '../audit/write-audit.ts'
import { redefineVariables } from '../checks/redefine-variables.ts'
import { checkField, type FieldForm, takenName, toColumns } from './check-field.ts'
import { findFields, type FieldRow, insertField } from './queries.ts'
import { viewForAudit } from './view.ts'

/** Adds a custom field as the last of its model. */
export function addField(ctx: Context, caller: Caller, form: FieldForm): Promise<FieldRow> {
  refuseLimited(caller, 'Custom fields')
  checkField(form)
  return refuseTaken(takenName(form), () =>
    ctx.transaction(async (tx, emit) => {
      const at = ctx.now()
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
      await redefineVariables(tx, emit, 'all')
      emit({ type: 'customfield.changed', ids: [row.id] })
      return row
    }),
  )
}
