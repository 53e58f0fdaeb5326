import {
  checkCredentials,
  confirmSession,
  confirmTotp,
  endSession,
  endUserSessions,
  listOwnSessions,
  listUserSessions,
  login,
  logout,
  logoutAll,
  resetPassword,
  resetTotp,
  setupTotp,
} from '@muster/contract/api/sessions'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import { mayDo } from '../../../platform/http/caller.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import { confirmCode } from './confirm-code.ts'
import { changeOwnPassword } from './change-password.ts'
import { endSessions } from './end-session.ts'
import { findSession, findUser, isSuperuser, listSessions } from './queries.ts'
import type { SessionCookies } from './session-cookies.ts'
import { confirmTotpKey, forgetTotpKey, showTotpKey } from './set-up-totp.ts'
import { proveIdentity } from './prove-identity.ts'
import { createSignInDesk, signInByCode, signInByPassword } from './sign-in.ts'
import { viewSession } from './view.ts'

export function sessionsRoutes(api: Api, ctx: Context, cookies: SessionCookies): void {
  const desk = createSignInDesk(ctx, cookies)

  route(api, checkCredentials, ({ body, request, reply }) =>
    signInByPassword(desk, { ...body, request, reply }),
  )

  route(api, login, ({ body: { twofactor, ...body }, request, reply }) =>
    signInByCode(desk, { ...body, code: twofactor, request, reply }),
  )

  route(api, logout, async ({ caller, reply }) => {
    if (caller.session !== undefined) {
      const user = { id: caller.userId, username: caller.username }
      await endSessions(ctx, caller, { user, only: caller.session.digest })
    }
    cookies.clear(reply)
    return null
  })

  route(api, logoutAll, async ({ caller, reply }) => {
    await endSessions(ctx, caller, { user: { id: caller.userId, username: caller.username } })
    cookies.clear(reply)
    return null
  })

  route(api, setupTotp, ({ caller }) => showTotpKey(ctx, caller))

  route(api, confirmTotp, async ({ caller, body, reply }) => {
    await confirmTotpKey(ctx, caller, body.twofactor)
    cookies.clear(reply)
    return null
  })

  route(api, confirmSession, ({ caller, body }) => confirmCode(desk, caller, body.twofactor))

  route(api, resetPassword, async ({ caller, body, request }) => {
    await proveIdentity(desk, { caller, proof: body, request })
    await changeOwnPassword(ctx, caller, body.password)
    return null
  })

  route(api, resetTotp, async ({ caller, body, request }) => {
    await proveIdentity(desk, { caller, proof: body, request })
    await forgetTotpKey(ctx, caller)
    return null
  })

  route(api, listOwnSessions, async ({ caller }) => {
    const rows = await listSessions(ctx.db, caller.userId, ctx.now().toISOString())
    return rows.map((row) => viewSession(row, caller))
  })

  route(api, listUserSessions, async ({ caller, params }) => {
    const user = await requireUserOfId(ctx, params.id)
    if (!caller.isSuperuser && (await isSuperuser(ctx.db, user.id)))
      throw new AppError('not_allowed', 'Only superusers may see the sessions of superusers.')
    const rows = await listSessions(ctx.db, user.id, ctx.now().toISOString())
    return rows.map((row) => viewSession(row, caller))
  })

  route(api, endUserSessions, async ({ caller, params }) => {
    await endSessions(ctx, caller, { user: await requireUserOfId(ctx, params.id) })
    return null
  })

  route(api, endSession, async ({ caller, params: { digest } }) => {
    const session = await findSession(ctx.db, digest)
    const isOwn = session?.user_id === caller.userId
    if (session === undefined || (!isOwn && !mayDo(caller, 'can_manage_accounts'))) {
      throw new AppError('not_found', 'This session has ended already.')
    }
    const user = { id: session.user_id, username: session.username }
    await endSessions(ctx, caller, { user, only: digest })
    return null
  })
}

async function requireUserOfId(ctx: Context, id: number): Promise<{ id: number; username: string }> {
  const user = await findUser(ctx.db, id)
  if (user === undefined) throw new AppError('not_found', 'There is no such user.')
  return user
}
