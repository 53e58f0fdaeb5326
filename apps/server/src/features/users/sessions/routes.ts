import {
  checkCredentials,
  confirmSession,
  confirmTotp,
  createRecoveryCodes,
  endSession,
  endUserSessions,
  listOwnSessions,
  listOwnSignIns,
  listUserSessions,
  listUserSignIns,
  login,
  logout,
  logoutAll,
  resetPassword,
  resetTotp,
  setupTotp,
} from '@muster/contract/api/sessions'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import { requireRow } from '../../../platform/database/change-row.ts'
import { type Caller, mayDo } from '../../../platform/http/caller.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import { refuseWeakPassword } from '../../../platform/secrets/new-password.ts'
import { hashPassword, verifyPassword } from '../../../platform/secrets/passwords.ts'
import { audit } from '../../audit/write-audit.ts'
import { openComparison, requireMayChange, requireUser as requireListedUser } from '../accounts/write-user.ts'
import { holdRights } from '../accounts/queries.ts'
import { deleteSessions, findSession, findUser, isSuperuser, listSessions, requireUser } from './queries.ts'
import { viewSession } from './session-cookies.ts'
import { confirmTotpKey, deleteTotpKey, showTotpKey } from './set-up-totp.ts'
import { replaceRecoveryCodes } from './recovery-codes.ts'
import { confirmOwner, proveOwner } from './prove-owner.ts'
import { signInByCode, signInByPassword, type SignInParts } from './sign-in.ts'
import { findSignIns } from './sign-ins.ts'

export function sessionsRoutes(api: Api, desk: SignInParts): void {
  const { ctx, cookies } = desk

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

  route(api, confirmTotp, async ({ caller, body }) => ({
    recovery_codes: await confirmTotpKey(ctx, caller, body.twofactor),
  }))

  route(api, createRecoveryCodes, async ({ caller, body }) => {
    await proveOwner(desk, caller, body)
    return { recovery_codes: await replaceRecoveryCodes(ctx, caller) }
  })

  route(api, confirmSession, ({ caller, body }) => confirmOwner(desk, caller, body))

  route(api, resetPassword, async ({ caller, body }) => {
    await proveOwner(desk, caller, body)
    await changeOwnPassword(ctx, caller, body.password)
    return null
  })

  route(api, resetTotp, async ({ caller, body }) => {
    await proveOwner(desk, caller, body)
    await deleteTotpKey(ctx, caller)
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

  route(api, listOwnSignIns, async ({ caller }) =>
    findSignIns(ctx.db, await requireUser(ctx.db, caller.userId)),
  )

  route(api, listUserSignIns, async ({ caller, params }) => {
    const user = await requireListedUser(ctx.db, params.id)
    if (!caller.isSuperuser && (await isSuperuser(ctx.db, user.id)))
      throw new AppError('not_allowed', 'Only superusers may see the sign-ins of superusers.')
    return findSignIns(ctx.db, user)
  })

  route(api, endUserSessions, async ({ caller, params }) => {
    await endSessions(ctx, caller, { user: await requireUserOfId(ctx, params.id) })
    return null
  })

  route(api, endSession, async ({ caller, params: { digest } }) => {
    const session = await findSession(ctx.db, digest)
    const isOwn = session?.user_id === caller.userId
    if (session === undefined || (!isOwn && !mayDo(caller, 'can_manage_accounts'))) {
      throw new AppError('not_found', 'This session has already ended.')
    }
    const user = { id: session.user_id, username: session.username }
    await endSessions(ctx, caller, { user, only: digest })
    return null
  })
}

async function requireUserOfId(ctx: Context, id: number): Promise<{ id: number; username: string }> {
  return requireRow(await findUser(ctx.db, id), 'user')
}

/** Sets the caller's own password and ends all other sessions of the caller. */
async function changeOwnPassword(ctx: Context, caller: Caller, password: string): Promise<void> {
  await refuseWeakPassword(ctx.db, password, caller.username)
  const { password_hash: current } = await requireUser(ctx.db, caller.userId)
  if (await verifyPassword(password, current)) {
    const sentence = 'This is your current password. Choose another one.'
    throw new AppError('invalid', sentence, { fields: { password: [sentence] } })
  }
  const hash = await hashPassword(password)
  await ctx.transaction(async (tx, emit) => {
    await tx
      .updateTable('users')
      .set({ password_hash: hash, must_change_password_since: null })
      .where('id', '=', caller.userId)
      .execute()
    const ended = await deleteSessions(tx, {
      userId: caller.userId,
      ...(caller.session === undefined ? {} : { except: caller.session.digest }),
    })
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'user',
      message: `Changed the password of "${caller.username}"`,
      at: ctx.now(),
      emit,
    })
    emit({ type: 'user.changed', ids: [caller.userId] })
    if (ended.length > 0) emit({ type: 'session.ended', ids: ended })
  })
}

/**
 * Ends sessions of a user: one, all, or all but one. Sessions of other users require the right to change them. Their
 * sockets close on the event.
 */
async function endSessions(
  ctx: Context,
  caller: Caller,
  { user, only, except }: { user: { id: number; username: string }; only?: string; except?: string },
): Promise<void> {
  const isOwn = user.id === caller.userId
  await ctx.transaction(async (tx, emit) => {
    if (!isOwn) {
      await holdRights(tx, { user: user.id })
      requireMayChange(await openComparison(tx, caller), await requireListedUser(tx, user.id))
    }
    const ended = await deleteSessions(tx, {
      userId: user.id,
      ...(only === undefined ? {} : { only }),
      ...(except === undefined ? {} : { except }),
    })
    if (ended.length === 0) return
    await audit(tx, {
      caller,
      action: isOwn && only !== undefined && only === caller.session?.digest ? 'logout' : 'delete',
      object_type: 'session',
      message:
        ended.length === 1
          ? `Ended a session of "${user.username}"`
          : `Ended ${ended.length} sessions of "${user.username}"`,
      at: ctx.now(),
      emit,
    })
    emit({ type: 'session.ended', ids: ended })
  })
}
