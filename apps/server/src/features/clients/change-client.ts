import type { CustomFieldPayloads } from '@muster/contract/custom-field-values'
import type { Context } from '../../context.ts'
import { refuseTaken } from '../../platform/database/refuse-taken.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { assignTemplate } from '../alerts/templates/assign-template.ts'
import { audit } from '../audit/write-audit.ts'
import { changePlaceFields, type PlaceFields } from '../policies/place-fields.ts'
import { redefineVariables } from '../checks/redefine-variables.ts'
import { setFieldValues } from '../custom-fields/set-values.ts'
import { updateClientName } from './queries.ts'
import { requireWholeClient } from './require-node.ts'

export interface ClientChange extends PlaceFields {
  id: number
  name?: string | undefined
  values?: CustomFieldPayloads | undefined
  alert_template?: number | null | undefined
}

/** Renames a client, sets its custom fields, policies or alert template, or all of it. */
export function changeClient(ctx: Context, caller: Caller, change: ClientChange): Promise<void> {
  const { id, alert_template: to } = change
  const sentence = `There is already a client named "${change.name ?? 'like this one'}".`
  return refuseTaken({ field: 'client.name', sentence }, () =>
    ctx.transaction(async (tx, emit) => {
      await changePlaceFields({ ctx, tx, emit, caller }, { level: 'client', id: `${id}` }, change)
      const client = await requireWholeClient(tx, id, caller)
      const name = change.name ?? client.name
      const from = client.alert_template_id
      const target = { type: 'client', id, name: client.name } as const
      const isAssigned = await assignTemplate({ ctx, tx, emit }, caller, target, { from, to })
      if (isAssigned) emit({ type: 'client.changed', ids: [id] })
      const fields = await setFieldValues(tx, { model: 'client', id }, change.values)
      const isRenamed = client.name !== name
      if (!isRenamed && fields === undefined) return
      if (isRenamed) await updateClientName(tx, id, name)
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'client',
        message: isRenamed
          ? `Renamed the client "${client.name}" to "${name}"`
          : `Changed the custom fields of the client "${name}"`,
        before: { name: client.name, ...(fields && { custom_fields: fields.before }) },
        after: { name, ...(fields && { custom_fields: fields.after }) },
        client: { id },
        at: ctx.now(),
        emit,
      })
      await redefineVariables(tx, emit, { clientId: id })
      emit({ type: 'client.changed', ids: [id] })
    }),
  )
}
