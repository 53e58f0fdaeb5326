import { NewUsername } from '@muster/contract/api/accounts'
import { AppError } from '@muster/contract/errors'
import { isEmail } from '@muster/rules/text/email'
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { InTransaction } from '../../hooks.ts'
import { refuseTaken } from '../../platform/database/change-row.ts'
import type { Db } from '../../platform/database/database.ts'
import { audit } from '../audit/write-audit.ts'
import { markKeyUsesStale } from '../keystore/key-use.ts'
import { auditValues, holdRights } from '../users/accounts/queries.ts'
import { requireSuperuserLeft, requireUser as requireListedUser } from '../users/accounts/write-user.ts'
import { deleteSessions, findUserByName, isSuperuser, requireUser } from '../users/sessions/queries.ts'
import { removeSecondFactors } from '../users/sessions/recovery-codes.ts'
import type { SigningUser } from '../users/sessions/sign-in.ts'
import type { ProviderRow } from './write-provider.ts'

/** A user as the provider describes them. Empty texts are unknown. */
export interface Identity {
  issuer: string
  subject: string
  username: string
  email: string
  isEmailVerified: boolean
  firstName: string
  lastName: string
  /** The values of the claim with roles. */
  groups: string[]
}

interface Admission {
  provider: ProviderRow
  identity: Identity
  source: string
}

/**
 * Returns the user of an account at a provider: the one it was connected with, an existing one with the same verified
 * e-mail address if the provider may connect it, or a new one. The role by claim applies at each sign-in.
 */
export async function admitUser(
  ctx: Context,
  admission: Admission,
): Promise<{ user: SigningUser; accountId: number }> {
  const { provider, identity } = admission
  const taken = { field: 'provider', sentence: 'This user was just added. Sign in again.' }
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      const parts = { ctx, tx, emit }
      const role = roleOf(provider, identity)
      await holdRights(tx, { role: role ?? null })
      const account = await tx
        .selectFrom('sso_accounts')
        .where('provider_id', '=', provider.id)
        .where('issuer', '=', identity.issuer)
        .where('subject', '=', identity.subject)
        .select(['id', 'user_id'])
        .executeTakeFirst()
      const userId = account?.user_id ?? (await findSameEmail(tx, provider, identity))
      if (userId !== undefined) await refuseBlocked(tx, userId)
      if (role === null) refuseWithoutRole(provider)
      const id = userId ?? (await addUser(parts, admission, role ?? provider.role_id))
      if (userId !== undefined && role !== undefined) await changeRole(parts, admission, { userId, role })
      const accountId = account?.id ?? (await connect(parts, admission, { userId: id, isNew: id !== userId }))
      await tx
        .updateTable('sso_accounts')
        .set({ last_login: ctx.now().toISOString(), display: displayOf(identity) })
        .where('id', '=', accountId)
        .execute()
      return { user: await requireUser(tx, id), accountId }
    }),
  )
}

/** Undefined = roles are set here; null = the claim gives none, and there is no default. */
function roleOf({ roles, role_id }: ProviderRow, { groups }: Identity): number | null | undefined {
  if (roles.length === 0) return undefined
  return roles.find(({ value }) => groups.includes(value))?.role ?? role_id
}

/** A user whom the provider may connect: exactly one with this verified address, and no superuser. */
async function findSameEmail(
  tx: Db,
  { link_by_email }: ProviderRow,
  { email, isEmailVerified }: Identity,
): Promise<number | undefined> {
  if (link_by_email === 0 || !isEmailVerified || email === '') return undefined
  const [user, another] = await tx
    .selectFrom('users')
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .select('id')
    .limit(2)
    .execute()
  if (user === undefined || another !== undefined || (await isSuperuser(tx, user.id))) return undefined
  return user.id
}

async function refuseBlocked(tx: Db, userId: number): Promise<void> {
  const user = await requireUser(tx, userId)
  if (user.is_active === 0)
    throw new AppError('not_allowed', `The user "${user.username}" is blocked. Ask an administrator.`)
  if (user.block_dashboard_login === 1)
    throw new AppError('not_allowed', `The user "${user.username}" is for programs only and cannot sign in.`)
}

function refuseWithoutRole({ name }: ProviderRow): never {
  throw new AppError('not_allowed', `Your account at ${name} has no role here. Ask an administrator.`)
}

async function addUser(
  { ctx, tx, emit }: InTransaction,
  { provider, identity, source }: Admission,
  role: number | null,
): Promise<number> {
  if (role === null) refuseWithoutRole(provider)
  const username = await chooseUsername(tx, provider, identity)
  const { id } = await tx
    .insertInto('users')
    .values({
      username,
      // No password has this hash.
      password_hash: 'none',
      first_name: identity.firstName.slice(0, MAX_NAME_LENGTH),
      last_name: identity.lastName.slice(0, MAX_NAME_LENGTH),
      email: isEmail(identity.email) ? identity.email : '',
      role_id: role,
      is_superuser: 0,
      created_at: ctx.now().toISOString(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await audit(tx, {
    caller: { username, source },
    action: 'add',
    object_type: 'user',
    message: `Added the user "${username}" by the provider "${provider.name}"`,
    after: auditValues(await requireListedUser(tx, id)),
    at: ctx.now(),
    emit,
  })
  emit({ type: 'user.changed', ids: [id] })
  return id
}

const MAX_NAME_LENGTH = 150

/** A user who exists already is never taken over: the new one gets another name. */
async function chooseUsername(
  tx: Db,
  { name }: ProviderRow,
  { username, email, subject }: Identity,
): Promise<string> {
  for (const text of [username, email, `${name}-${subject.replaceAll(/[^\w.@+-]/g, '-').slice(0, 100)}`]) {
    const parsed = NewUsername.safeParse(text)
    if (parsed.success && (await findUserByName(tx, parsed.data)) === undefined) return parsed.data
  }
  throw new AppError(
    'conflict',
    'Users with your name and e-mail address exist already. Ask an administrator.',
  )
}

/** Applies the role by claim. Superusers by themselves have every right without one. */
async function changeRole(
  { ctx, tx, emit }: InTransaction,
  { provider, source }: Admission,
  { userId, role }: { userId: number; role: number | null },
): Promise<void> {
  const before = await requireListedUser(tx, userId)
  if (before.role_id === role) return
  await tx.updateTable('users').set({ role_id: role }).where('id', '=', userId).execute()
  await requireSuperuserLeft(tx)
  await markKeyUsesStale(ctx, tx, emit)
  const after = await requireListedUser(tx, userId)
  await audit(tx, {
    caller: { username: before.username, source },
    action: 'modify',
    object_type: 'user',
    message: `Changed the role of "${before.username}" to "${after.role_name}" by the provider "${provider.name}"`,
    before: auditValues(before),
    after: auditValues(after),
    at: ctx.now(),
    emit,
  })
  emit({ type: 'user.changed', ids: [userId] })
}

/** The password and second factor of an existing user end here, and so do the sessions that they opened. */
async function connect(
  { ctx, tx, emit }: InTransaction,
  { provider, identity, source }: Admission,
  { userId, isNew }: { userId: number; isNew: boolean },
): Promise<number> {
  const now = ctx.now().toISOString()
  const { id } = await tx
    .insertInto('sso_accounts')
    .values({
      provider_id: provider.id,
      user_id: userId,
      issuer: identity.issuer,
      subject: identity.subject,
      display: displayOf(identity),
      created_at: now,
      last_login: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (isNew) return id
  const { username } = await requireUser(tx, userId)
  await removeSecondFactors(tx, userId)
  const ended = await deleteSessions(tx, { userId })
  await audit(tx, {
    caller: { username, source },
    action: 'modify',
    object_type: 'user',
    message: `Connected "${username}" with "${displayOf(identity)}" of "${provider.name}" by e-mail address`,
    at: ctx.now(),
    emit,
  })
  emit({ type: 'user.changed', ids: [userId] })
  if (ended.length > 0) emit({ type: 'session.ended', ids: ended })
  return id
}

const displayOf = ({ email, username, subject }: Identity) => email || username || subject
