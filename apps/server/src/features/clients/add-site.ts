import type { CustomFieldPayloads } from '@muster/contract/custom-field-values'
import type { Context } from '../../context.ts'
import { refuseTaken } from '../../platform/database/refuse-taken.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { setFieldValues } from '../custom-fields/set-values.ts'
import { insertSite } from './queries.ts'
import { requireWholeClient } from './require-node.ts'

export function addSite(
  ctx: Context,
  caller: Caller,
  {
    client: clientId,
    name,
    values,
  }: { client: number; name: string; values?: CustomFieldPayloads | undefined },
): Promise<number> {
  const sentence = `The client already has a site named "${name}".`
  return refuseTaken({ field: 'site.name', sentence }, () =>
    ctx.transaction(async (tx, emit) => {
      const client = await requireWholeClient(tx, clientId, caller)
      const at = ctx.now()
      const { id } = await insertSite(tx, { client_id: clientId, name, created_at: at.toISOString() })
      const fields = await setFieldValues(tx, { model: 'site', id }, values)
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'site',
        message: `Added the site "${name}" to "${client.name}"`,
        after: { name, client: client.name, ...(fields && { custom_fields: fields.after }) },
        site: { id },
        at,
        emit,
      })
      emit({ type: 'client.changed', ids: [clientId] })
      return id
    }),
  )
}
