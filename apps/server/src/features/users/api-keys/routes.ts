import {
  createApiKey,
  deleteApiKey,
  editApiKey,
  listApiKeys,
  rotateApiKey,
} from '@muster/contract/api/api-keys'
import type { Context } from '../../../context.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import { openComparison } from '../accounts/write-user.ts'
import { findApiKeys, viewApiKey } from './queries.ts'
import { addApiKey, changeApiKey, removeApiKey, replaceApiKey } from './write-api-key.ts'

export function apiKeysRoutes(api: Api, ctx: Context): void {
  route(api, listApiKeys, async ({ caller }) => {
    const comparison = await openComparison(ctx.db, caller)
    return (await findApiKeys(ctx.db)).map((row) => viewApiKey(row, { comparison, now: ctx.now() }))
  })
  route(api, createApiKey, ({ body, caller }) => addApiKey(ctx, caller, body))
  route(api, editApiKey, ({ params, body, caller }) => changeApiKey(ctx, caller, { id: params.id, body }))
  route(api, rotateApiKey, ({ params, body, caller }) =>
    replaceApiKey(ctx, caller, { id: params.id, hours: body.old_key_hours }),
  )
  route(api, deleteApiKey, async ({ params, caller }) => {
    await removeApiKey(ctx, caller, params.id)
    return null
  })
}
