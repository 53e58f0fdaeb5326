import { getRemoteAccess, setRemoteAccess } from '@muster/contract/api/remote-access'
import type { Context } from '../../../context.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import { changeAccess, readAccess } from './change-access.ts'

export function remoteAccessRoutes(api: Api, ctx: Context): void {
  route(api, getRemoteAccess, ({ params, caller }) => readAccess(ctx.db, caller, params))
  route(api, setRemoteAccess, ({ params, body, caller }) => changeAccess(ctx, caller, { params, body }))
}
