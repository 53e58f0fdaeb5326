import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { hashPassword } from '../../platform/secrets/passwords.ts'
import { audit } from '../audit/write-audit.ts'
import { deleteSessions } from './sessions/queries.ts'
import { generatePassword } from './generate-password.ts'

/**
 * Resets a lost password from the command line: sets a new one, removes the second factor, and ends every session.
 * Returns the password. Throws for an unknown name and lists the existing ones.
 */
export async function resetPassword(ctx: Context, name: string): Promise<string> {
  const username = name.toLowerCase()
  const password = generatePassword()
  const hash = await hashPassword(password)
  await ctx.transaction(async (tx, emit) => {
    const user = await tx
      .updateTable('users')
      .set({ password_hash: hash, totp_key: null, totp_confirmed: 0 })
      .where('username', '=', username)
      .returning('id')
      .executeTakeFirst()
    if (user === undefined) {
      const users = await tx.selectFrom('users').select('username').orderBy('username').limit(20).execute()
      const names = users.map((one) => one.username).join(', ')
      throw new AppError('not_found', `The user ${username} does not exist. Users: ${names || 'none yet'}.`)
    }
    await tx.deleteFrom('throttles').where('key', '=', `account:${username}`).execute()
    const ended = await deleteSessions(tx, { userId: user.id })
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
