import { AppError } from '@muster/contract/errors'
import type { Db } from '../../../platform/database/database.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { hasSuperuser } from '../roles/queries.ts'
import { findUsers, type UserRow } from './queries.ts'
import type { Comparison } from './exceeding.ts'

export async function requireUser(db: Db, id: number): Promise<UserRow> {
  const [user] = await findUsers(db, id)
  if (user === undefined) throw new AppError('not_found', 'There is no such user.')
  return user
}

export function requireMayChange({ mayChange }: Comparison, user: UserRow): void {
  if (!mayChange(user))
    throw new AppError(
      'not_allowed',
      `"${user.username}" may do more than you, so you cannot change this user.`,
    )
}

/** What would take from the caller what only others may take. */
export function refuseOneself(caller: Caller, user: UserRow, sentence: string, field?: string): void {
  if (user.id !== caller.userId) return
  throw new AppError('conflict', sentence, field === undefined ? {} : { fields: { [field]: [sentence] } })
}

/** A role that there is, and that allows no more than the caller may do. */
export function requireMayGive({ mayGive }: Comparison, role: number): void {
  const may = mayGive(role)
  if (may === true) return
  if (may === undefined) {
    const sentence = 'This role does not exist any more.'
    throw new AppError('invalid', sentence, { fields: { role: [sentence] } })
  }
  const sentence = 'This role allows more than you may do. Choose another, or ask a superuser.'
  throw new AppError('not_allowed', sentence, { fields: { role: [sentence] } })
}

/** Only superusers make superusers. */
export function requireMayGiveAll(caller: Caller): void {
  if (caller.isSuperuser) return
  const sentence = 'Only superusers may make somebody a superuser.'
  throw new AppError('not_allowed', sentence, { fields: { is_superuser: [sentence] } })
}

/** In the transaction of the change, after it. */
export async function requireSuperuserLeft(db: Db): Promise<void> {
  if (await hasSuperuser(db)) return
  throw new AppError(
    'conflict',
    'Nobody would be left who may do everything. Make somebody else a superuser first.',
  )
}
