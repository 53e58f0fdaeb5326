import { findPasswordFault } from '@muster/rules/text/weak-password'
import type { Context } from '../../context.ts'
import { ConfigError } from '../../platform/config/config.ts'
import { hashPassword } from '../../platform/secrets/passwords.ts'
import { audit } from '../audit/write-audit.ts'
import { generatePassword } from './generate-password.ts'

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
  const fault = adminPassword === undefined ? undefined : findPasswordFault(adminPassword, username)
  if (fault !== undefined) throw new ConfigError(`MUSTER_ADMIN_PASSWORD is not valid: ${fault}`)
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
