import { findPasswordFault } from '@muster/rules/text/weak-password'
import type { Context } from '../../context.ts'
import { ConfigError } from '../../platform/config/config.ts'
import { hashPassword } from '../../platform/secrets/passwords.ts'
import { audit } from '../audit/write-audit.ts'
import { generatePassword } from './generate-password.ts'

/**
 * On the very first start there is nobody yet: makes the superuser. Answers the name, and the password where it
 * was generated: this is the only moment at which it is known. Undefined on every later start.
 */
export async function createFirstAdmin(
  ctx: Context,
): Promise<{ username: string; generatedPassword: string | undefined } | undefined> {
  const existing = await ctx.db.selectFrom('users').select('id').limit(1).executeTakeFirst()
  if (existing !== undefined) return undefined
  const { adminPassword, adminUser } = ctx.config
  const username = adminUser.toLowerCase()
  const fault = adminPassword === undefined ? undefined : findPasswordFault(adminPassword, username)
  if (fault !== undefined) throw new ConfigError(`MUSTER_ADMIN_PASSWORD has a wrong value: ${fault}`)
  const generated = adminPassword === undefined ? generatePassword() : undefined
  const hash = await hashPassword(adminPassword ?? generated ?? generatePassword())
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
      // Two servers that share a database may both start for the first time; one of them makes the user.
      .onConflict((conflict) => conflict.column('username').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (result === undefined) return false
    await audit(tx, {
      caller: { username, source: '' },
      action: 'add',
      object_type: 'user',
      message: `Made the first user "${username}"`,
      at: ctx.now(),
      emit,
    })
    return true
  })
  return isMade ? { username, generatedPassword: generated } : undefined
}
