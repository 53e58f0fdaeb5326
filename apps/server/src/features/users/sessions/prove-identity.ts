import type { OwnerProof } from '@muster/contract/api/sessions'
import { AppError } from '@muster/contract/errors'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { verifyPassword } from '../../../platform/secrets/passwords.ts'
import { audit } from '../../audit/write-audit.ts'
import { findDevice, type SignInParts } from './sign-in.ts'
import { refuseSsoUser, requireUser, takeTotpStep } from './queries.ts'
import { countFailure, keyList, refuseWhileBlocked, throttleKeys } from './throttle.ts'
import { describeUsedCode, findTotpStep } from './confirm-code.ts'

/**
 * Requires the current password or a fresh code before a change that would hand the account to the holder of a stolen
 * session. Failures count together with those of signing in.
 */
export function proveIdentity(
  desk: SignInParts,
  { caller, proof, request }: { caller: Caller; proof: OwnerProof; request: FastifyRequest },
): Promise<void> {
  const { ctx, cookies, turns } = desk
  const { username } = caller
  const keys = throttleKeys(username, request.ip, findDevice(ctx, cookies, { request, username }))
  return turns.run(keyList(keys), async () => {
    await refuseWhileBlocked(ctx, keys)
    await refuseSsoUser(ctx.db, caller.userId)
    const user = await requireUser(ctx.db, caller.userId)
    const { current_password, twofactor } = proof
    let used: string | undefined
    if (current_password !== undefined) {
      if (await verifyPassword(current_password, user.password_hash)) return markProved(ctx, caller)
    } else if (twofactor !== undefined && user.totp_key !== null && user.totp_confirmed === 1) {
      const step = findTotpStep(ctx.secrets.decrypt(user.totp_key), twofactor, ctx.now())
      if (step !== undefined && (await takeTotpStep(ctx.db, user.id, step))) return markProved(ctx, caller)
      used = await describeUsedCode(ctx, user.id, step)
    }
    if (used === undefined) await countFailure(ctx, keys)
    await audit(ctx.db, {
      caller,
      action: 'failed_login',
      object_type: 'user',
      message: `Failed to confirm the identity of "${username}"`,
      at: ctx.now(),
      emit: ctx.emit,
    })
    const [field, message] =
      current_password === undefined
        ? ['twofactor', used ?? 'This code is wrong. Enter the current one of the app.']
        : ['current_password', 'The current password is wrong.']
    throw new AppError('invalid', message, { fields: { [field]: [message] } })
  })
}

async function markProved(ctx: Context, { session }: Caller): Promise<void> {
  if (session === undefined) return
  await ctx.db
    .updateTable('sessions')
    .set({ proved_at: ctx.now().toISOString() })
    .where('digest', '=', session.digest)
    .execute()
}
