import type { Context } from '../../context.ts'

/** An account of a user at a provider, for test-world.ts. */
export async function insertSsoAccount(
  { db, now, secrets }: Context,
  userId: number,
): Promise<{ providerId: number; accountId: number }> {
  const at = now().toISOString()
  const { id: providerId } = await db
    .insertInto('sso_providers')
    .values({
      name: `provider-${userId}`,
      issuer: 'http://127.0.0.1:1/',
      client_id: 'muster',
      secret: secrets.encrypt('secret'),
      scope: 'openid',
      role_id: null,
      role_claim: '',
      link_by_email: 0,
      sign_out: 0,
      modified: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id: accountId } = await db
    .insertInto('sso_accounts')
    .values({
      provider_id: providerId,
      user_id: userId,
      issuer: 'http://127.0.0.1:1/',
      subject: `subject-${userId}`,
      display: `user-${userId}@example.org`,
      created_at: at,
      last_login: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { providerId, accountId }
}
