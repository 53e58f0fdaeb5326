import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { deleteChannelRow } from './queries.ts'
import { requireLockedChannel } from './require-channel.ts'
import { viewForAudit } from './view.ts'

/** Deletes a channel; what waits for it goes with it and is not sent. */
export function removeChannel(ctx: Context, caller: Caller, id: number): Promise<void> {
  return ctx.transaction(async (tx, emit) => {
    const row = await requireLockedChannel(tx, caller, id)
    await deleteChannelRow(tx, id)
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'coresettings',
      message: `Deleted the alert channel "${row.name}"`,
      before: viewForAudit(row),
      at: ctx.now(),
      emit,
    })
    emit({ type: 'alert_channel.changed', ids: [id] })
  })
}
