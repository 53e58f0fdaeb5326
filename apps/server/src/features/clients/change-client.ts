import type { CustomFieldPayloads } from '@muster/contract/custom-field-values'
import type { Context } from '../../context.ts'
import { refuseTaken } from '../../platform/database/refuse-taken.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { redefineVariables } from '../checks/redefine-variables.ts'
import { setFieldValues } from '../custom-fields/set-values.ts'
import { updateClientName } from './queries.ts'
import { requireWholeClient } from './require-node.ts'

export interface ClientChange {
  id: number
  name: string
  values: CustomFieldPayloads | undefined
}

/** Renames a client, sets its custom fields, or both. */
export function changeClient(
  ctx: Context,
  caller: Caller,
  { id, name, values }: ClientChange,
): Promise<void> {
  const sentence = `There is already a client named "${name}".`
  return refuseTaken({ field: 'client.name', sentence }, () =>
    ctx.transaction(async (tx, emit) => {
      const client = await requireWholeClient(tx, id, caller)
      const fields = await setFieldValues(tx, { model: 'client', id }, values)
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
