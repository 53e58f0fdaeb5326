import { MIN_PASSWORD_CHARACTERS as minCharacters } from '@muster/contract/api/sessions'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { ConfigError } from '../../platform/config/config.ts'
import { readCoreSettings } from '../../platform/config/core-settings.ts'
import { generatePassword, whyRefused } from '../../platform/secrets/new-password.ts'
import { hashPassword } from '../../platform/secrets/passwords.ts'
import { audit } from '../audit/write-audit.ts'
import { deleteSessions } from './sessions/queries.ts'
import { removeSecondFactors } from './sessions/recovery-codes.ts'

/**
 * Creates the superuser on the very first start. Returns the name, and a generated password, which is known only at
 * this moment. Returns undefined on every later start.
 */
export async function createFirstAdmin(
  ctx: Context,
): Promise<{ username: string; generatedPassword: string | undefined } | undefined> {
  const existing = await ctx.db.selectFrom('users').select('id').limit(1).executeTakeFirst()
  if (existing !== undefined) return undefined
  const { adminPassword, adminUser } = ctx.config
  const username = adminUser.toLowerCase()
  const fault =
    adminPassword === undefined ? undefined : whyRefused(adminPassword, { username, minCharacters })
  if (fault !== undefined) throw new ConfigError(`MUSTER_ADMIN_PASSWORD is not valid: ${fault}`)
  const generated = adminPassword === undefined ? generatePassword(minCharacters) : undefined
  const hash = await hashPassword(adminPassword ?? generated ?? generatePassword(minCharacters))
  const isMade = await ctx.transaction(async (tx, emit) => {
    const result = await tx
      .insertInto('users')
      .values({
        username,
        password_hash: hash,
        role_id: null,
        is_superuser: 1,
        created_at: ctx.now().toISOString(),
      })
      // Two servers that share a database may both start for the first time. One of them creates the user.
      .onConflict((conflict) => conflict.column('username').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (result === undefined) return false
    await audit(tx, {
      caller: { username, source: '' },
      action: 'add',
      object_type: 'user',
      message: `Created the first user "${username}"`,
      at: ctx.now(),
      emit,
    })
    return true
  })
  return isMade ? { username, generatedPassword: generated } : undefined
}

/**
 * Resets a lost password from the command line: sets a new one, removes the second factor and accounts at providers, and
 * ends every session.
 * Returns the password. Throws for an unknown name and lists the existing ones.
 */
export async function resetPassword(ctx: Context, name: string): Promise<string> {
  const username = name.toLowerCase()
  const password = generatePassword((await readCoreSettings(ctx.db)).password_min_length)
  const hash = await hashPassword(password)
  await ctx.transaction(async (tx, emit) => {
    const user = await tx
      .updateTable('users')
      .set({ password_hash: hash, must_change_password_since: null })
      .where('username', '=', username)
      .returning('id')
      .executeTakeFirst()
    if (user === undefined) {
      const users = await tx.selectFrom('users').select('username').orderBy('username').limit(20).execute()
      const names = users.map((one) => one.username).join(', ')
      throw new AppError('not_found', `The user ${username} does not exist. Users: ${names || 'none yet'}.`)
    }
    await removeSecondFactors(tx, user.id)
    await tx.deleteFrom('throttles').where('key', '=', `account:${username}`).execute()
    const ended = await deleteSessions(tx, { userId: user.id })
    // Users with an account at a provider have no password.
    await tx.deleteFrom('sso_accounts').where('user_id', '=', user.id).execute()
    await audit(tx, {
      caller: { username: 'server', source: '' },
      action: 'modify',
      object_type: 'user',
      message: `Reset the password and two-factor sign-in of "${username}" on the server`,
      at: ctx.now(),
      emit,
    })
    emit({ type: 'user.changed', ids: [user.id] })
    if (ended.length > 0) emit({ type: 'session.ended', ids: ended })
  })
  return password
}
