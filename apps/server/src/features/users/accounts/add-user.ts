import type { createUser, User } from '@muster/contract/api/accounts'
import type { Parsed } from '@muster/contract/endpoint'
import type { Context } from '../../../context.ts'
import { refuseTaken } from '../../../platform/database/refuse-taken.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { hashPassword, refuseWeakPassword } from '../../../platform/secrets/passwords.ts'
import { audit } from '../../audit/write-audit.ts'
import { holdRights } from './queries.ts'
import { openComparison } from './exceeding.ts'
import { requireMayGive, requireMayGiveAll, requireUser } from './require-changeable.ts'
import { toldOf, viewUser } from './view.ts'

export async function addUser(
  ctx: Context,
  caller: Caller,
  body: Parsed<typeof createUser>['body'],
): Promise<User> {
  const { username, role = null, is_superuser = false, is_active = true } = body
  if (is_superuser) requireMayGiveAll(caller)
  refuseWeakPassword(body.password, username)
  const hash = await hashPassword(body.password)
  const taken = { field: 'username', sentence: `There is already a user named "${username}".` }
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      await holdRights(tx, { role })
      const comparison = await openComparison(tx, caller)
      if (role !== null) requireMayGive(comparison, role)
      const { id } = await tx
        .insertInto('users')
        .values({
          username,
          password_hash: hash,
          first_name: body.first_name ?? '',
          last_name: body.last_name ?? '',
          email: body.email ?? '',
          role_id: role,
          is_superuser: is_superuser ? 1 : 0,
          is_active: is_active ? 1 : 0,
          created_at: ctx.now().toISOString(),
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      const user = await requireUser(tx, id)
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'user',
        message: `Added the user "${username}"`,
        after: toldOf(user),
        at: ctx.now(),
        emit,
      })
      emit({ type: 'user.changed', ids: [id] })
      return viewUser(user, comparison)
    }),
  )
}
