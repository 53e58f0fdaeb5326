import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { insertRecoveryCodes, removeTotp } from './recovery-codes.ts'
import { deleteSessions, keepTotpKey, refuseSsoUser, requireUser, takeTotpStep } from './queries.ts'
import { findTotpStep, newTotpKey, totpAddress, WRONG_CODE } from './totp-codes.ts'

/** The key for an authenticator app: unchanged until a code has confirmed it, then `false`. */
export async function showTotpKey(
  ctx: Context,
  caller: Caller,
): Promise<false | { username: string; totp_key: string; qr_url: string }> {
  await refuseSsoUser(ctx.db, caller.userId)
  const user = await requireUser(ctx.db, caller.userId)
  if (user.totp_confirmed === 1) return false
  const sealed = user.totp_key ?? (await keepTotpKey(ctx.db, user.id, ctx.secrets.encrypt(newTotpKey())))
  const key = ctx.secrets.decrypt(sealed)
  return { username: user.username, totp_key: key, qr_url: totpAddress(user.username, key) }
}

/**
 * Accepts the first code and returns recovery codes. It ends the other sessions of the user, because they were opened
 * with the password alone. The code is used up, so the next sign-in needs another one.
 */
export async function confirmTotpKey(ctx: Context, caller: Caller, code: string): Promise<string[]> {
  return ctx.transaction(async (tx, emit) => {
    await refuseSsoUser(tx, caller.userId)
    const user = await requireUser(tx, caller.userId)
    if (user.totp_confirmed === 1) {
      throw new AppError('conflict', 'Two-factor sign-in is already set up.')
    }
    if (user.totp_key === null) {
      throw new AppError('conflict', 'Open the set-up page first. There is no key to confirm yet.')
    }
    const step = findTotpStep(ctx.secrets.decrypt(user.totp_key), code, ctx.now())
    if (step === undefined || !(await takeTotpStep(tx, user.id, step))) {
      throw new AppError('invalid', WRONG_CODE, { fields: { twofactor: [WRONG_CODE] } })
    }
    const own = caller.session?.digest
    const ended = await deleteSessions(tx, {
      userId: user.id,
      ...(own === undefined ? {} : { except: own }),
    })
    if (own !== undefined) {
      await tx
        .updateTable('sessions')
        .set({ code_at: ctx.now().toISOString() })
        .where('digest', '=', own)
        .execute()
    }
    const codes = await insertRecoveryCodes(ctx, tx, user.id)
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'user',
      message: `Set up two-factor sign-in of "${user.username}"`,
      at: ctx.now(),
      emit,
    })
    emit({ type: 'user.changed', ids: [user.id] })
    if (ended.length > 0) emit({ type: 'session.ended', ids: ended })
    return codes
  })
}

/** Deletes the caller's own key and ends all other sessions of the caller. */
export async function deleteTotpKey(ctx: Context, caller: Caller): Promise<void> {
  await ctx.transaction(async (tx, emit) => {
    await removeTotp(tx, caller.userId)
    const ended = await deleteSessions(tx, {
      userId: caller.userId,
      ...(caller.session === undefined ? {} : { except: caller.session.digest }),
    })
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'user',
      message: `Reset two-factor sign-in of "${caller.username}"`,
      at: ctx.now(),
      emit,
    })
    emit({ type: 'user.changed', ids: [caller.userId] })
    if (ended.length > 0) emit({ type: 'session.ended', ids: ended })
  })
}
