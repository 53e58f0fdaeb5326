import type { createUser, editUser, resetUserPassword, User } from '@muster/contract/api/accounts'
import type { Parsed } from '@muster/contract/endpoint'
import { isTemplateRole } from '@muster/contract/built-in-roles'
import { AppError } from '@muster/contract/errors'
import { PERMISSIONS } from '@muster/contract/permissions'
import type { Context } from '../../../context.ts'
import { refuseStale, refuseTaken, requireRow } from '../../../platform/database/change-row.ts'
import { type Caller, mayDo } from '../../../platform/http/caller.ts'
import { refuseWeakPassword } from '../../../platform/secrets/new-password.ts'
import { hashPassword } from '../../../platform/secrets/passwords.ts'
import { newToken } from '../../../platform/secrets/secrets.ts'
import { audit } from '../../audit/write-audit.ts'
import { markKeyUsesStale } from '../../keystore/key-use.ts'
import { deleteSessions } from '../sessions/queries.ts'
import { removeSecondFactors } from '../sessions/recovery-codes.ts'
import type { Db } from '../../../platform/database/database.ts'
import { findRoles, hasSuperuser, type RoleRow, viewRoleContent } from '../roles/queries.ts'
import {
  findUsers,
  holdRights,
  modifiedOf,
  auditValues,
  type UserRow,
  viewUser,
  viewUserContent,
} from './queries.ts'

export async function addUser(
  ctx: Context,
  caller: Caller,
  body: Parsed<typeof createUser>['body'],
): Promise<User> {
  const { username, role = null, is_superuser = false, is_active = true } = body
  // Without a password, nobody knows the one that is stored.
  const password = body.password ?? newToken()
  if (is_superuser) requireMayGiveAll(caller)
  if (body.password !== undefined) await refuseWeakPassword(ctx.db, body.password, username)
  const hash = await hashPassword(password)
  const taken = { field: 'username', sentence: `A user named "${username}" already exists.` }
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
          block_dashboard_login: body.block_dashboard_login === true ? 1 : 0,
          must_change_password_since: body.must_change_password === true ? ctx.now().toISOString() : null,
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
        after: auditValues(user),
        at: ctx.now(),
        emit,
      })
      emit({ type: 'user.changed', ids: [id] })
      return viewUser(user, comparison)
    }),
  )
}

type Changes = Omit<Parsed<typeof editUser>['body'], 'modified'>

/** Changes a user. Removed rights apply at once, and a user who may no longer sign in is signed out. */
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
    refuseStale({ name: before.username, modified: modifiedOf(before) }, modified)
    const changed = changedOf(before, changes)
    if (changed.has('is_active')) refuseOneself(caller, before, 'You cannot block yourself.', 'is_active')
    if (changed.has('block_dashboard_login'))
      refuseOneself(caller, before, 'You cannot block your own sign-in.', 'block_dashboard_login')
    if (changed.has('role')) {
      refuseOneself(caller, before, 'You cannot change your own role. Ask another administrator.', 'role')
      if (typeof changes.role === 'number') requireMayGive(comparison, changes.role)
    }
    if (changed.has('is_superuser')) {
      requireMayGiveAll(caller)
      refuseOneself(
        caller,
        before,
        'You cannot stop being a superuser. Ask another superuser.',
        'is_superuser',
      )
    }
    if (changed.size === 0) return viewUser(before, comparison)
    await tx
      .updateTable('users')
      .set({ ...columnsOf(viewUserContent(before), changes), ...passwordColumn(ctx, changed, changes) })
      .where('id', '=', id)
      .execute()
    await requireSuperuserLeft(tx)
    if (changed.has('role') || changed.has('is_superuser') || changed.has('is_active'))
      await markKeyUsesStale(ctx, tx, emit)
    const user = await requireUser(tx, id)
    const maySignIn = user.is_active === 1 && user.block_dashboard_login === 0
    const ended = maySignIn ? [] : await deleteSessions(tx, { userId: id })
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'user',
      message: `${verbOf(before, user)} the user "${user.username}"`,
      before: auditValues(before),
      after: auditValues(user),
      at: ctx.now(),
      emit,
    })
    if (before.is_active === 1 && user.is_active === 0)
      await ctx.hooks.endInstallLinks({ ctx, tx, emit }, caller, { username: user.username, was: 'blocked' })
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
    block_dashboard_login:
      (changes.block_dashboard_login ?? was.block_dashboard_login) ? (1 as const) : (0 as const),
    is_superuser: (changes.is_superuser ?? was.is_superuser) ? (1 as const) : (0 as const),
  }
}

/** Sessions that are open stay as they are. */
function passwordColumn(ctx: Context, changed: ReadonlySet<string>, { must_change_password }: Changes) {
  if (!changed.has('must_change_password')) return {}
  return { must_change_password_since: must_change_password === true ? ctx.now().toISOString() : null }
}

/** Deletes a user and ends their sessions. The audit log keeps the name. */
export async function removeUser(ctx: Context, caller: Caller, id: number): Promise<void> {
  await ctx.transaction(async (tx, emit) => {
    await holdRights(tx, { user: id })
    const user = await requireUser(tx, id)
    requireMayChange(await openComparison(tx, caller), user)
    refuseOneself(caller, user, 'You cannot delete yourself.')
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'user',
      message: `Deleted the user "${user.username}"`,
      before: auditValues(user),
      at: ctx.now(),
      emit,
    })
    const ended = await deleteSessions(tx, { userId: id })
    const keys = await tx.deleteFrom('api_keys').where('user_id', '=', id).returning('id').execute()
    await ctx.hooks.endInstallLinks({ ctx, tx, emit }, caller, { username: user.username, was: 'deleted' })
    await tx.deleteFrom('users').where('id', '=', id).execute()
    await requireSuperuserLeft(tx)
    await markKeyUsesStale(ctx, tx, emit)
    emit({ type: 'user.changed', ids: [id] })
    if (keys.length > 0) emit({ type: 'api_key.changed', ids: keys.map((key) => key.id) })
    if (ended.length > 0) emit({ type: 'session.ended', ids: ended })
  })
}

const PASSWORD = {
  what: 'the password',
  own: 'Change your own password in the menu of your account.',
}
const TOTP = {
  what: 'two-factor sign-in',
  own: 'Reset your own two-factor sign-in in the menu of your account.',
}

/** Sets another user's password, and forgets failed sign-ins with the old one. */
export async function setUserPassword(
  ctx: Context,
  caller: Caller,
  { id, password, must_change_password: mustChange }: Parsed<typeof resetUserPassword>['body'],
): Promise<void> {
  const password_hash = await hashPassword(password)
  const must_change_password_since = mustChange ? ctx.now().toISOString() : null
  const write = async (tx: Db) => {
    await tx
      .updateTable('users')
      .set({ password_hash, must_change_password_since })
      .where('id', '=', id)
      .execute()
  }
  const more = mustChange ? ', who must change it at the next sign-in' : ''
  await reset(ctx, caller, { id, password, ...PASSWORD, more, write })
}

/** Removes another user's authenticator, recovery codes and passkeys: the next sign-in sets up a new second factor. */
export async function deleteUserTotp(ctx: Context, caller: Caller, id: number): Promise<void> {
  await reset(ctx, caller, { id, ...TOTP, write: (tx) => removeSecondFactors(tx, id) })
}

interface Reset {
  id: number
  what: string
  own: string
  password?: string
  /** Added to the audit message. */
  more?: string
  write: (tx: Db) => Promise<void>
}

async function reset(
  ctx: Context,
  caller: Caller,
  { id, what, own, password, more = '', write }: Reset,
): Promise<void> {
  await ctx.transaction(async (tx, emit) => {
    await holdRights(tx, { user: id })
    const user = await requireUser(tx, id)
    requireMayChange(await openComparison(tx, caller), user)
    refuseOneself(caller, user, own)
    if (user.sso.length > 0)
      throw new AppError(
        'conflict',
        `"${user.username}" signs in with ${user.sso.join(' and ')}. Disconnect this account first.`,
      )
    if (password !== undefined) await refuseWeakPassword(tx, password, user.username)
    await write(tx)
    await tx.deleteFrom('throttles').where('key', '=', `account:${user.username}`).execute()
    const ended = await deleteSessions(tx, { userId: id })
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'user',
      message: `Reset ${what} of "${user.username}"${more}`,
      at: ctx.now(),
      emit,
    })
    emit({ type: 'user.changed', ids: [id] })
    if (ended.length > 0) emit({ type: 'session.ended', ids: ended })
  })
}

export async function requireUser(db: Db, id: number): Promise<UserRow> {
  const [user] = await findUsers(db, id)
  return requireRow(user, 'user')
}

export function requireMayChange(
  { mayChange }: Comparison,
  user: Pick<UserRow, 'username' | 'is_superuser' | 'role_id'>,
): void {
  if (!mayChange(user))
    throw new AppError(
      'not_allowed',
      `"${user.username}" has more rights than you. Ask a superuser to change this user.`,
    )
}

/** Refuses changes that only another user may make to the caller. */
function refuseOneself(caller: Caller, user: UserRow, sentence: string, field?: string): void {
  if (user.id !== caller.userId) return
  throw new AppError('conflict', sentence, field === undefined ? {} : { fields: { [field]: [sentence] } })
}

export const TEMPLATE_REFUSAL = 'This role is a template. Copy it, choose its clients, and use the copy.'

/** Requires an existing role without rights that the caller lacks. */
export function requireMayGive({ mayGive, isTemplate }: Comparison, role: number): void {
  if (isTemplate(role)) {
    const sentence = TEMPLATE_REFUSAL
    throw new AppError('invalid', sentence, { fields: { role: [sentence] } })
  }
  const may = mayGive(role)
  if (may === true) return
  if (may === undefined) {
    const sentence = 'This role no longer exists.'
    throw new AppError('invalid', sentence, { fields: { role: [sentence] } })
  }
  const sentence = 'This role has more rights than you. Choose another one, or ask a superuser.'
  throw new AppError('not_allowed', sentence, { fields: { role: [sentence] } })
}

/** Only superusers make superusers. */
function requireMayGiveAll(caller: Caller): void {
  if (caller.isSuperuser) return
  const sentence = 'Only superusers can make a user a superuser.'
  throw new AppError('not_allowed', sentence, { fields: { is_superuser: [sentence] } })
}

/** Call in the transaction of the change, after it. */
export async function requireSuperuserLeft(db: Db): Promise<void> {
  if (await hasSuperuser(db)) return
  throw new AppError('conflict', 'No superuser would be left. Make another user a superuser first.')
}

/** All rights, those of a role, or none. */
interface Rights {
  isSuperuser: boolean
  role: RoleRow | undefined
}

/** Users cannot change users with more rights, nor give more rights than their own. */
export async function openComparison(db: Db, caller: Caller) {
  const roles = new Map((await findRoles(db)).map((role) => [role.id, role]))
  const { scope } = caller
  const sites = scope.all ? [] : await db.selectFrom('sites').select(['id', 'client_id']).execute()
  const isSeen = ({ id, client_id }: { id: number; client_id: number }) =>
    scope.all || scope.siteIds.includes(id) || scope.clientIds.includes(client_id)
  const seenSites = new Set(sites.filter(isSeen).map(({ id }) => id))

  const exceeds = ({ isSuperuser, role }: Rights): boolean => {
    if (caller.isSuperuser) return false
    if (isSuperuser || role?.is_superuser === 1) return true
    if (role === undefined) return false
    const allows = viewRoleContent(role)
    if (PERMISSIONS.some((permission) => allows[permission] && !mayDo(caller, permission))) return true
    if (
      (caller.session?.code.isAsked ?? caller.apiKey?.needsCode) === true &&
      role.require_2fa_for_remote === 0
    )
      return true
    if (scope.all) return false
    if (role.clientIds.length === 0 && role.siteIds.length === 0) return true
    return (
      role.clientIds.some((id) => !scope.clientIds.includes(id)) ||
      role.siteIds.some((id) => !seenSites.has(id))
    )
  }
  return {
    mayChange: ({ is_superuser, role_id }: Pick<UserRow, 'is_superuser' | 'role_id'>) =>
      !exceeds({ isSuperuser: is_superuser === 1, role: roles.get(role_id ?? 0) }),
    isTemplate: (roleId: number) => isTemplateRole(roles.get(roleId)?.built_in ?? null),
    /** Undefined for an unknown role. */
    mayGive: (roleId: number): boolean | undefined => {
      const role = roles.get(roleId)
      return role === undefined ? undefined : !exceeds({ isSuperuser: false, role })
    },
  }
}
export type Comparison = Awaited<ReturnType<typeof openComparison>>
