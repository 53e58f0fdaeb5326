import { createRole, deleteRole, editRole, getRole, listRoles, previewRole } from '@muster/contract/api/roles'
import type { Context } from '../../../context.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import { describeRole } from './preview-role.ts'
import { findRoles, viewRole } from './queries.ts'
import { addRole, changeRole, removeRole, requireRole } from './write-role.ts'

export function rolesRoutes(api: Api, ctx: Context): void {
  route(api, listRoles, async () => (await findRoles(ctx.db)).map(viewRole))
  route(api, getRole, async ({ params }) => viewRole(await requireRole(ctx.db, params.id)))
  route(api, createRole, ({ body, caller }) => addRole(ctx, caller, body))
  route(api, editRole, ({ params, body, caller }) => changeRole(ctx, caller, { id: params.id, body }))
  route(api, previewRole, ({ body, caller }) => describeRole(ctx, caller, body))
  route(api, deleteRole, async ({ params, caller }) => {
    await removeRole(ctx, caller, params.id)
    return null
  })
}
