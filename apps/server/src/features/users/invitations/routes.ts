import {
  acceptInvitation,
  createInvitation,
  deleteInvitation,
  listInvitations,
  openInvitation,
} from '@muster/contract/api/invitations'
import type { Context } from '../../../context.ts'
import { readCoreSettings } from '../../../platform/config/core-settings.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import {
  addInvitation,
  findInvitations,
  readInvitation,
  removeInvitation,
  takeInvitation,
} from './invitations.ts'

export function invitationsRoutes(api: Api, ctx: Context): void {
  route(api, listInvitations, () => findInvitations(ctx.db))
  route(api, createInvitation, ({ body, caller }) => addInvitation(ctx, caller, body))
  route(api, deleteInvitation, async ({ params, caller }) => {
    await removeInvitation(ctx, caller, params.id)
    return null
  })
  route(api, openInvitation, async ({ body, request }) => {
    const { created_by, expires, email } = await readInvitation(ctx, body.token, request.ip)
    const { password_min_length } = await readCoreSettings(ctx.db)
    return { created_by, expires, email, password_min_length }
  })
  route(api, acceptInvitation, async ({ body, request }) => {
    await takeInvitation(ctx, body, request.ip)
    return { username: body.username }
  })
}
