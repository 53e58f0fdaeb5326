import { getPush, turnOffPush, turnOnPush } from '@muster/contract/api/push'
import type { Context } from '../../../context.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import { openPushKeys } from './push-keys.ts'
import { isPushEnabled, subscribe, unsubscribe } from './turn-on-push.ts'

export async function pushRoutes(api: Api, ctx: Context): Promise<void> {
  const { publicKey } = await openPushKeys(ctx)
  route(api, getPush, async () => ({ public_key: publicKey, enabled: await isPushEnabled(ctx.db) }))
  route(api, turnOnPush, async ({ body, caller }) => {
    await subscribe(ctx, caller, body)
    return null
  })
  route(api, turnOffPush, async ({ caller }) => {
    await unsubscribe(ctx, caller)
    return null
  })
}
