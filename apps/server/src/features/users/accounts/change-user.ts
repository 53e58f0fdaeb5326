import type { editUser, User } from '@muster/contract/api/accounts'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { redefineKeyUses } from '../../keystore/redefine-key-uses.ts'
import { deleteSessions } from '../sessions/queries.ts'
import { holdRights, type UserRow } from './queries.ts'
import { openComparison } from './exceeding.ts'
import {
  refuseOneself,
  requireMayChange,
  requireMayGive,
  requireMayGiveAll,
  requireSuperuserLeft,
  requireUser,
} from './require-changeable.ts'
import { modifiedOf, toldOf, viewUser, viewUserContent } from './view.ts'

type Changes = Omit<Parsed<typeof editUser>['body'], 'modified'>

/** Changes a user. What it takes away counts at once; who may not sign in any more is signed out. */
export async function changeUser(
  ctx: Context,
  caller: Caller,
  { id, body }: { id: number; body: Parsed<typeof editUser>['body'] },
): Promise<User> {
  const { modified, ...changes } = body
  return ctx.transaction(async (tx, emit) => {
    await holdRights(tx, { user: id, role: changes.role ?? null })
    const comparison = await openComparison(tx, caller)
    const before = await requireUser(tx, id)
    requireMayChange(comparison, before)
    if (modified !== undefined && modified !== modifiedOf(before))
      throw new AppError('changed_meanwhile', `Somebody else has changed "${before.username}".`)
    const changed = changedOf(before, changes)
    if (changed.has('is_active')) refuseOneself(caller, before, 'You cannot block yourself.', 'is_active')
    if (changed.has('role')) {
      refuseOneself(caller, before, 'You cannot change your own role. Ask somebody else.', 'role')
      if (typeof changes.role === 'number') requireMayGive(comparison, changes.role)
    }
    if (changed.has('is_superuser')) {
      requireMayGiveAll(caller)
      refuseOneself(caller, before, 'You cannot stop being a superuser. Ask somebody else.', 'is_superuser')
    }
    if (changed.size === 0) return viewUser(before, comparison)
    await tx
      .updateTable('users')
      .set(columnsOf(viewUserContent(before), changes))
      .where('id', '=', id)
      .execute()
    await requireSuperuserLeft(tx)
    if (changed.has('role') || changed.has('is_superuser')) await redefineKeyUses(tx, emit)
    const user = await requireUser(tx, id)
    const ended = user.is_active === 1 ? [] : await deleteSessions(tx, { userId: id })
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'user',
      message: `${verbOf(before, user)} the user "${user.username}"`,
      before: toldOf(before),
      after: toldOf(user),
      at: ctx.now(),
      emit,
    })
    emit({ type: 'user.changed', ids: [id] })
    if (ended.length > 0) emit({ type: 'session.ended', ids: ended })
    return viewUser(user, comparison)
  })
}

function changedOf(before: UserRow, changes: Changes): Set<string> {
  const was: Record<string, unknown> = viewUserContent(before)
  const said = Object.entries(changes).filter(([name, value]) => value !== undefined && value !== was[name])
  return new Set(said.map(([name]) => name))
}

function verbOf(before: UserRow, after: UserRow): string {
  if (before.is_active === after.is_active) return 'Changed'
  return after.is_active === 1 ? 'Unblocked' : 'Blocked'
}

function columnsOf(was: ReturnType<typeof viewUserContent>, changes: Changes) {
  return {
    first_name: changes.first_name ?? was.first_name,
    last_name: changes.last_name ?? was.last_name,
    email: changes.email ?? was.email,
    role_id: changes.role === undefined ? was.role : changes.role,
    is_active: (changes.is_active ?? was.is_active) ? (1 as const) : (0 as const),
    is_superuser: (changes.is_superuser ?? was.is_superuser) ? (1 as const) : (0 as const),
  }
}
