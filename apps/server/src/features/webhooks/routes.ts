import {
  createWebhook,
  deleteWebhook,
  discardWebhookDeliveries,
  editWebhook,
  listWebhookDeliveries,
  listWebhooks,
  renewWebhookSecret,
  resendWebhookDeliveries,
  testWebhook,
} from '@muster/contract/api/webhooks'
import type { Context } from '../../context.ts'
import { type Caller, refuseLimited } from '../../platform/http/caller.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { audit } from '../audit/write-audit.ts'
import { discard, listDeliveries, resend } from './deliveries.ts'
import { sendDelivery, testDelivery } from './send-deliveries.ts'
import {
  addWebhook,
  changeWebhook,
  findWebhooks,
  removeWebhook,
  renewSecret,
  requireWebhook,
  viewWebhook,
  viewWebhooks,
} from './write-webhook.ts'

/** Webhooks send events of every client out of the server, so roles that are limited to some clients see none. */
export function webhooksRoutes(api: Api, ctx: Context): void {
  const refuse = (caller: Caller) => refuseLimited(caller, 'Webhooks')
  route(api, listWebhooks, async ({ caller }) => {
    refuse(caller)
    return viewWebhooks(ctx.db, await findWebhooks(ctx.db))
  })
  route(api, createWebhook, async ({ body, caller }) => {
    refuse(caller)
    const { row, secret } = await addWebhook(ctx, caller, body)
    return { ...(await viewWebhook(ctx.db, row)), secret }
  })
  route(api, editWebhook, async ({ params, body, caller }) => {
    refuse(caller)
    return viewWebhook(ctx.db, await changeWebhook(ctx, caller, { ...body, id: params.id }))
  })
  route(api, deleteWebhook, async ({ params, caller }) => {
    refuse(caller)
    await removeWebhook(ctx, caller, params.id)
    return null
  })
  route(api, renewWebhookSecret, async ({ params, caller }) => {
    refuse(caller)
    return { secret: await renewSecret(ctx, caller, params.id) }
  })
  route(api, testWebhook, async ({ params, caller }) => {
    refuse(caller)
    const webhook = await requireWebhook(ctx.db, params.id)
    const { outcome, took_ms } = await sendDelivery(ctx, webhook, testDelivery(ctx.now()))
    await ctx.transaction((tx, emit) =>
      audit(tx, {
        caller,
        action: 'modify',
        object_type: 'webhook',
        message: `Tested the webhook "${webhook.name}"`,
        after: { ok: outcome.ok, answer: outcome.answer },
        at: ctx.now(),
        emit,
      }),
    )
    return { ok: outcome.ok, answer: outcome.answer, took_ms }
  })
  route(api, listWebhookDeliveries, async ({ params, query, caller }) => {
    refuse(caller)
    await requireWebhook(ctx.db, params.id)
    return listDeliveries(ctx.db, params.id, query.state)
  })
  route(api, resendWebhookDeliveries, async ({ params, body, caller }) => {
    refuse(caller)
    return { changed: await resend(ctx, caller, params.id, body.deliveries) }
  })
  route(api, discardWebhookDeliveries, async ({ params, body, caller }) => {
    refuse(caller)
    return { changed: await discard(ctx, caller, params.id, body.deliveries) }
  })
}
