import {
  createUser,
  deleteUser,
  editUser,
  getUser,
  listUsers,
  resetUserPassword,
  resetUserTotp,
} from '@muster/contract/api/accounts'
import type { Context } from '../../../context.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import {
  addUser,
  changeUser,
  deleteUserTotp,
  openComparison,
  removeUser,
  requireUser,
  setUserPassword,
} from './write-user.ts'
import { findUsers, viewUser } from './queries.ts'

export function accountsRoutes(api: Api, ctx: Context): void {
  route(api, listUsers, async ({ caller }) => {
    const comparison = await openComparison(ctx.db, caller)
    return (await findUsers(ctx.db)).map((user) => viewUser(user, comparison))
  })
  route(api, getUser, async ({ caller, params }) =>
    viewUser(await requireUser(ctx.db, params.id), await openComparison(ctx.db, caller)),
  )
  route(api, createUser, ({ body, caller }) => addUser(ctx, caller, body))
  route(api, editUser, ({ params, body, caller }) => changeUser(ctx, caller, { id: params.id, body }))
  route(api, deleteUser, async ({ params, caller }) => {
    await removeUser(ctx, caller, params.id)
    return null
  })
  route(api, resetUserPassword, async ({ body, caller }) => {
    await setUserPassword(ctx, caller, body)
    return null
  })
  route(api, resetUserTotp, async ({ body, caller }) => {
    await deleteUserTotp(ctx, caller, body.id)
    return null
  })
}
