import { createKey, deleteKey, editKey, listKeyStore } from '@muster/contract/api/keystore'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { addKey, changeKey, findKeys, removeKey, viewKey } from './write-key.ts'
import { addRoles } from './key-use.ts'

export function keystoreRoutes(api: Api, ctx: Context): void {
  route(api, listKeyStore, async () => (await addRoles(ctx.db, await findKeys(ctx.db))).map(viewKey))
  route(api, createKey, async ({ body, caller }) => viewKey(await addKey(ctx, caller, body)))
  route(api, editKey, async ({ params, body, caller }) =>
    viewKey(await changeKey(ctx, caller, { id: params.id, ...body })),
  )
  route(api, deleteKey, async ({ params, caller }) => {
    await removeKey(ctx, caller, params.id)
    return null
  })
}
