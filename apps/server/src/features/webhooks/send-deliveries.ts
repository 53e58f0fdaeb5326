import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Context } from '../../context.ts'
import { giveLease, keepLease, takeLease } from '../../platform/database/sender-lease.ts'
import type { WebhookDeliveriesTable } from '../../platform/database/tables/webhooks.ts'
import { sendRequest } from '../alerts/channels/senders/web-request.ts'
import { signatureOf } from '../alerts/channels/senders/webhook.ts'
import { SEND_JOB } from './publish.ts'

type Delivery = Pick<Selectable<WebhookDeliveriesTable>, 'id' | 'event' | 'body' | 'attempts'>

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** A day in all. Then the delivery has failed. */
export const BACK_OFF_MS = [
  ...[1, 5, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 4, 8, 8].map((hours) => hours * HOUR_MS),
]
const MAX_ATTEMPTS = BACK_OFF_MS.length + 1
const EMIT_EVERY_MS = 1000

/**
 * Sends the due deliveries of a webhook, oldest first. One process at a time does, and the others leave theirs to it. A
 * receiver that does not respond is left alone for a minute, or its time-outs would occupy the job runner.
 */
export async function sendDue(ctx: Context, webhookId: number, signal: AbortSignal): Promise<void> {
  const sender = { table: 'webhooks', id: webhookId } as const
  do {
    if (!(await takeLease(ctx, sender))) return
    let hasAnswered = true
    let emittedMs = 0
    try {
      while (hasAnswered) {
        signal.throwIfAborted()
        const next = await findNext(ctx, webhookId)
        if (next === undefined) break
        const { webhook, delivery } = next
        await keepLease(ctx.db, ctx, sender)
        const { outcome } = await sendDelivery(ctx, webhook, delivery)
        await record(ctx, webhookId, delivery, outcome)
        hasAnswered = outcome.status !== undefined
        if (performance.now() - emittedMs < EMIT_EVERY_MS) continue
        emittedMs = performance.now()
        ctx.emit({ type: 'webhook.changed', ids: [webhookId] })
      }
    } finally {
      if (hasAnswered) await giveLease(ctx, sender)
      ctx.emit({ type: 'webhook.changed', ids: [webhookId] })
    }
    if (!hasAnswered) return
  } while ((await findNext(ctx, webhookId)) !== undefined)
}

/** Sends a delivery once. The response never contains the secret. */
export async function sendDelivery(
  { config, secrets, now }: Pick<Context, 'config' | 'secrets' | 'now'>,
  { url, secret: sealed }: { url: string; secret: string },
  { id, event, body }: { id: string; event: string; body: string },
) {
  const secret = secrets.decrypt(sealed)
  const startedMs = performance.now()
  const outcome = await sendRequest(
    {
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'muster-event': event,
        'muster-delivery': id,
        'muster-signature': signatureOf(secret, now(), body),
      },
      body,
    },
    { targets: config.channelTargets },
  )
  return {
    outcome: { ...outcome, answer: outcome.answer.replaceAll(secret, '***') },
    took_ms: Math.round(performance.now() - startedMs),
  }
}

/** The event `test`, which no webhook chooses. */
export function testDelivery(now: Date) {
  const id = randomUUID()
  const data = { id, event: 'test', created_at: now.toISOString(), message: 'This is a test of Muster.' }
  return { id, event: 'test', body: JSON.stringify(data) }
}

/** Webhooks with deliveries that no job has sent, because a process died or the receiver did not respond. */
export async function findLateWebhooks({ db, now }: Pick<Context, 'db' | 'now'>): Promise<number[]> {
  const at = now().toISOString()
  const rows = await db
    .selectFrom('webhooks')
    .select('id')
    .where('enabled', '=', 1)
    .where((eb) => eb.or([eb('sending_until', 'is', null), eb('sending_until', '<=', at)]))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('webhook_deliveries')
          .select('webhook_deliveries.id')
          .whereRef('webhook_id', '=', 'webhooks.id')
          .where('state', '=', 'waiting')
          .where('due_at', '<=', at),
      ),
    )
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

async function findNext({ db, now }: Context, webhookId: number) {
  const webhook = await db
    .selectFrom('webhooks')
    .select(['url', 'secret'])
    .where('id', '=', webhookId)
    .where('enabled', '=', 1)
    .executeTakeFirst()
  if (webhook === undefined) return undefined
  const delivery = await db
    .selectFrom('webhook_deliveries')
    .select(['id', 'event', 'body', 'attempts'])
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'waiting')
    .where('due_at', '<=', now().toISOString())
    .orderBy('due_at')
    .orderBy('id')
    .executeTakeFirst()
  return delivery && { webhook, delivery }
}

async function record(
  ctx: Context,
  webhookId: number,
  { id, attempts: tried }: Delivery,
  { ok, status = null, answer }: { ok: boolean; status?: number | null; answer: string },
): Promise<void> {
  const at = ctx.now()
  const attempts = tried + 1
  const waitMs = BACK_OFF_MS[tried]
  await ctx.transaction(async (tx) => {
    const due = new Date(at.getTime() + (waitMs ?? 0))
    const state = ok ? 'delivered' : attempts < MAX_ATTEMPTS ? 'waiting' : 'failed'
    await tx
      .updateTable('webhook_deliveries')
      .set({ attempts, status, answer, state })
      .set(state === 'waiting' ? { due_at: due.toISOString() } : { ended_at: at.toISOString() })
      .where('id', '=', id)
      .where('state', '=', 'waiting')
      .execute()
    await tx
      .updateTable('webhooks')
      .set((eb) =>
        ok
          ? { last_delivered: at.toISOString(), failing_since: null }
          : { failing_since: eb.fn.coalesce('failing_since', eb.val(at.toISOString())) },
      )
      .where('id', '=', webhookId)
      .execute()
    if (state === 'waiting')
      await ctx.jobs.enqueue(SEND_JOB, { webhook_id: webhookId }, { dueAt: due, db: tx })
  })
}
