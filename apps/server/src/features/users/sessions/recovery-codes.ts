import {
  RECOVERY_CODE_COUNT,
  RECOVERY_CODE_LENGTH,
  RECOVERY_CODE_LETTERS,
} from '@muster/contract/api/sessions'
import { AppError } from '@muster/contract/errors'
import { randomInt } from 'node:crypto'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { deletePasskeys } from '../passkeys/queries.ts'

/** Replaces the caller's codes. Only users with two-factor sign-in have any. */
export async function replaceRecoveryCodes(ctx: Context, caller: Caller): Promise<string[]> {
  return ctx.transaction(async (tx, emit) => {
    // The write also makes a concurrent replacement or reset wait.
    const user = await tx
      .updateTable('users')
      .set({ totp_confirmed: 1 })
      .where('id', '=', caller.userId)
      .where('totp_confirmed', '=', 1)
      .executeTakeFirst()
    if (Number(user.numUpdatedRows) === 0)
      throw new AppError('conflict', 'Set up two-factor sign-in first. Recovery codes replace its codes.')
    const codes = await insertRecoveryCodes(ctx, tx, caller.userId)
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'user',
      message: `Replaced the recovery codes of "${caller.username}"`,
      at: ctx.now(),
      emit,
    })
    emit({ type: 'user.changed', ids: [caller.userId] })
    return codes
  })
}

/** Stores new codes in place of the old ones and returns them. Call after a write to the user's row. */
export async function insertRecoveryCodes(ctx: Context, tx: Db, userId: number): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, newCode)
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  await tx
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ user_id: userId, digest: digestOfCode(ctx, userId, code) })))
    .execute()
  return codes.map((code) => code.replace(/^.{5}/, '$&-'))
}

/** Consumes a code without hyphens. Returns false for an unknown or used one. */
export async function takeRecoveryCode(ctx: Context, userId: number, code: string): Promise<boolean> {
  const result = await ctx.db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('digest', '=', digestOfCode(ctx, userId, code))
    .executeTakeFirst()
  return Number(result.numDeletedRows) === 1
}

export async function countRecoveryCodes(db: Db, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_codes')
    .where('user_id', '=', userId)
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Removes the authenticator of a user, and with it the recovery codes. */
export async function removeTotp(tx: Db, userId: number): Promise<void> {
  await tx
    .updateTable('users')
    .set({ totp_key: null, totp_confirmed: 0, totp_last_step: null })
    .where('id', '=', userId)
    .execute()
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
}

/** Removes everything that a sign-in requires besides the password. */
export async function removeSecondFactors(tx: Db, userId: number): Promise<void> {
  await removeTotp(tx, userId)
  await deletePasskeys(tx, userId)
}

function newCode(): string {
  const letter = () => RECOVERY_CODE_LETTERS[randomInt(RECOVERY_CODE_LETTERS.length)]
  return Array.from({ length: RECOVERY_CODE_LENGTH }, letter).join('')
}

function digestOfCode(ctx: Context, userId: number, code: string): string {
  return ctx.secrets.deriveToken(`${userId} ${code}`, 'recovery code')
}
