import { AppError } from '@muster/contract/errors'
import { sql, type SqlBool } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'
import type { SessionsTable } from '../../../platform/database/tables/users.ts'

export type SessionRow = SessionsTable & { username: string }

/** A session with its user and role, if the user may still sign in. */
export async function findSessionUser(db: Db, digest: string) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .leftJoin('roles', 'roles.id', 'users.role_id')
    .where('sessions.digest', '=', digest)
    .where('users.is_active', '=', 1)
    .where('users.block_dashboard_login', '=', 0)
    .select(['sessions.digest', 'sessions.cookie_digest', 'sessions.expires_at', 'sessions.last_used_at'])
    .select(['sessions.created_at', 'users.must_change_password_since'])
    .select([
      'sessions.code_at',
      'sessions.proved_at',
      'sessions.sso_account_id',
      'roles.require_2fa_for_remote',
    ])
    .select(['users.id as user_id', 'users.username', 'users.first_name', 'users.last_name'])
    .select(['users.is_superuser', 'users.totp_confirmed', 'users.role_id'])
    .select(['roles.is_superuser as role_is_superuser', 'roles.permissions', 'roles.totp_required'])
    .select((eb) =>
      eb
        .exists(eb.selectFrom('passkeys').whereRef('passkeys.user_id', '=', 'users.id').select('passkeys.id'))
        .as('has_passkey'),
    )
    .executeTakeFirst()
}
export type SessionUser = NonNullable<Awaited<ReturnType<typeof findSessionUser>>>

export function displayName(user: { first_name: string; last_name: string }): string | null {
  const name = `${user.first_name} ${user.last_name}`.trim()
  return name === '' ? null : name
}

export async function listRoleScope(db: Db, roleId: number) {
  const clients = await db
    .selectFrom('role_clients')
    .where('role_id', '=', roleId)
    .select('client_id')
    .execute()
  const sites = await db.selectFrom('role_sites').where('role_id', '=', roleId).select('site_id').execute()
  return { clientIds: clients.map((row) => row.client_id), siteIds: sites.map((row) => row.site_id) }
}

export async function insertSession(db: Db, row: SessionsTable): Promise<void> {
  await db.insertInto('sessions').values(row).execute()
}

export async function extendSession(
  db: Db,
  digest: string,
  times: { last_used_at: string; expires_at: string },
): Promise<void> {
  await db.updateTable('sessions').set(times).where('digest', '=', digest).execute()
}

/** Sessions of a user that have not ended, the latest used first. */
export async function listSessions(db: Db, userId: number, now: string): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .where('sessions.user_id', '=', userId)
    .where('sessions.expires_at', '>', now)
    .selectAll('sessions')
    .select('users.username')
    .orderBy('sessions.last_used_at', 'desc')
    .execute()
}

export async function findSession(db: Db, digest: string): Promise<SessionRow | undefined> {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .where('sessions.digest', '=', digest)
    .selectAll('sessions')
    .select('users.username')
    .executeTakeFirst()
}

/** Deletes the chosen sessions of a user and returns their digests. Unless it is one, sign-ins halfway end too. */
export async function deleteSessions(
  db: Db,
  chosen: { userId: number; only?: string; except?: string; ssoAccount?: number },
): Promise<string[]> {
  const { userId, only, except, ssoAccount } = chosen
  let query = db.deleteFrom('sessions').where('user_id', '=', userId)
  if (only !== undefined) query = query.where('digest', '=', only)
  if (except !== undefined) query = query.where('digest', '!=', except)
  if (ssoAccount !== undefined) query = query.where('sso_account_id', '=', ssoAccount)
  const rows = await query.returning('digest').execute()
  const digests = rows.map((row) => row.digest)
  // Also of sessions that have expired since: a browser is notified beyond its session, but not after it was ended.
  let browsers = db.deleteFrom('push_subscriptions').where('user_id', '=', userId)
  if (only !== undefined) browsers = browsers.where('session_digest', '=', only)
  if (except !== undefined) browsers = browsers.where('session_digest', '!=', except)
  if (ssoAccount !== undefined) browsers = browsers.where('session_digest', 'in', digests)
  if (ssoAccount === undefined || digests.length > 0) await browsers.execute()
  if (only === undefined) await db.deleteFrom('passkey_challenges').where('user_id', '=', userId).execute()
  if (digests.length > 0) {
    await db.deleteFrom('socket_tickets').where('session_digest', 'in', digests).execute()
  }
  return digests
}

export async function deleteSessionOfCookie(db: Db, userId: number, cookieDigest: string): Promise<string[]> {
  const rows = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('cookie_digest', '=', cookieDigest)
    .returning('digest')
    .execute()
  return rows.map((row) => row.digest)
}

/** Consumes a TOTP step of this user. Returns false if that step or a later one was used before. */
export async function takeTotpStep(db: Db, userId: number, step: number): Promise<boolean> {
  const result = await db
    .updateTable('users')
    .set({ totp_last_step: step, totp_confirmed: 1 })
    .where('id', '=', userId)
    .where('totp_key', 'is not', null)
    .where(sql<SqlBool>`coalesce(totp_last_step, 0) < ${step}`)
    .executeTakeFirst()
  return Number(result.numUpdatedRows) === 1
}

/** Whether this is the step of the code that the user used last. */
export async function isLastTotpStep(db: Db, userId: number, step: number): Promise<boolean> {
  const query = db.selectFrom('users').where('id', '=', userId).where('totp_last_step', '=', step)
  return (await query.select('id').executeTakeFirst()) !== undefined
}

export async function findUserByName(db: Db, username: string) {
  return db.selectFrom('users').where('username', '=', username).selectAll().executeTakeFirst()
}

export async function findUser(db: Db, id: number) {
  return db.selectFrom('users').where('id', '=', id).select(['id', 'username']).executeTakeFirst()
}

/** By the account itself, or by its role. */
export async function isSuperuser(db: Db, id: number): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .leftJoin('roles', 'roles.id', 'users.role_id')
    .where('users.id', '=', id)
    .where((eb) => eb.or([eb('users.is_superuser', '=', 1), eb('roles.is_superuser', '=', 1)]))
    .select('users.id')
    .executeTakeFirst()
  return row !== undefined
}

/** Signs in with a provider. Such users have no password and no second factor here. */
export async function hasSsoAccount(db: Db, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('sso_accounts')
    .where('user_id', '=', userId)
    .select('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Refuses the caller who signs in with a provider. */
export async function refuseSsoUser(db: Db, userId: number): Promise<void> {
  if (!(await hasSsoAccount(db, userId))) return
  throw new AppError(
    'not_allowed',
    'You sign in with a provider. Manage your password and second factor there.',
  )
}

export async function findWholeUser(db: Db, id: number) {
  return db.selectFrom('users').where('id', '=', id).selectAll().executeTakeFirst()
}

/** The caller may just have been deleted. */
export async function requireUser(db: Db, id: number) {
  const user = await findWholeUser(db, id)
  if (user === undefined) throw new AppError('not_signed_in', 'Your account was deleted.')
  return user
}

/** The pending or confirmed TOTP key of a user, set to `sealedKey` if there was none. */
export async function keepTotpKey(db: Db, userId: number, sealedKey: string): Promise<string> {
  await db
    .updateTable('users')
    .set({ totp_key: sealedKey })
    .where('id', '=', userId)
    .where('totp_key', 'is', null)
    .execute()
  return (await requireUser(db, userId)).totp_key ?? sealedKey
}
