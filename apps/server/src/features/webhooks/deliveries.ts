import type { DeliveryState, WebhookDelivery } from '@muster/contract/api/webhooks'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { SEND_JOB } from './publish.ts'
import { log, requireLocked } from './write-webhook.ts'

const MAX_LISTED = 200

export async function listDeliveries(
  db: Db,
  webhookId: number,
  state: DeliveryState | undefined,
): Promise<WebhookDelivery[]> {
  const rows = await db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'failed'))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(MAX_LISTED)
    .execute()
  return rows.map(({ created_at, due_at, ended_at, ...row }) => ({
    ...row,
    created: created_at,
    due: row.state === 'waiting' ? due_at : null,
    ended: ended_at,
  }))
}

/** Both refer to failed deliveries only: the others are on their way, or have arrived. */
export function resend(ctx: Context, caller: Caller, id: number, deliveries?: string[]): Promise<number> {
  return ctx.transaction(async (tx, emit) => {
    const webhook = await requireLocked(tx, id)
    const result = await tx
      .updateTable('webhook_deliveries')
      .set({ state: 'waiting', attempts: 0, due_at: ctx.now().toISOString(), ended_at: null })
      .where('webhook_id', '=', id)
      .where('state', '=', 'failed')
      .$if(deliveries !== undefined, (query) => query.where('id', 'in', deliveries ?? []))
      .executeTakeFirst()
    const changed = Number(result.numUpdatedRows)
    if (changed === 0) return 0
    await ctx.jobs.enqueue(SEND_JOB, { webhook_id: id }, { db: tx })
    const done = `Sent again ${changed === 1 ? '1 delivery' : `${changed} deliveries`} of`
    await log({ ctx, tx, emit }, caller, { action: 'modify', done, after: { deliveries } }, webhook)
    return changed
  })
}

export function discard(ctx: Context, caller: Caller, id: number, deliveries?: string[]): Promise<number> {
  return ctx.transaction(async (tx, emit) => {
    const webhook = await requireLocked(tx, id)
    const result = await tx
      .deleteFrom('webhook_deliveries')
      .where('webhook_id', '=', id)
      .where('state', '=', 'failed')
      .$if(deliveries !== undefined, (query) => query.where('id', 'in', deliveries ?? []))
      .executeTakeFirst()
    const changed = Number(result.numDeletedRows)
    if (changed === 0) return 0
    const done = `Deleted ${changed === 1 ? '1 delivery' : `${changed} deliveries`} of`
    await log({ ctx, tx, emit }, caller, { action: 'delete', done, before: { deliveries } }, webhook)
    return changed
  })
}
