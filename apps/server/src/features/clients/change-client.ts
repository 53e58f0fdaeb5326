import type { Context } from '../../context.ts'
import { refuseTaken } from '../../platform/database/refuse-taken.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { assignTemplate } from '../alert-templates/assign-template.ts'
import { audit } from '../audit/write-audit.ts'
import { updateClientName } from './queries.ts'
import { requireWholeClient } from './require-node.ts'

export interface ClientChange {
  id: number
  name?: string | undefined
  alert_template?: number | null | undefined
}

/** Renames a client, or gives it an alert template, or both. */
export function changeClient(ctx: Context, caller: Caller, change: ClientChange): Promise<void> {
  const { id, alert_template: to } = change
  const sentence = `There is already a client named "${change.name ?? 'like this one'}".`
  return refuseTaken({ field: 'client.name', sentence }, () =>
    ctx.transaction(async (tx, emit) => {
      const client = await requireWholeClient(tx, id, caller)
      const name = change.name ?? client.name
      const from = client.alert_template_id
      const isAssigned = await assignTemplate(
        { ctx, tx, emit },
        caller,
        { type: 'client', id, name: client.name },
        { from, to },
      )
      if (isAssigned) emit({ type: 'client.changed', ids: [id] })
      if (client.name === name) return
      await updateClientName(tx, id, name)
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'client',
        message: `Renamed the client "${client.name}" to "${name}"`,
        before: { name: client.name },
        after: { name },
        client: { id },
        at: ctx.now(),
        emit,
      })
      emit({ type: 'client.changed', ids: [id] })
    }),
  )
}
