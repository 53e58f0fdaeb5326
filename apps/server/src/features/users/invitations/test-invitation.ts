import { randomUUID } from 'node:crypto'
import type { Context } from '../../../context.ts'
import { digestOf } from '../../../platform/secrets/secrets.ts'
import type { TestUser } from '../../../testing/test-given.ts'

/** An open invitation to the role of this user. */
export async function givenInvitation({ db, now }: Context, user: TestUser): Promise<number> {
  const at = now().toISOString()
  const { id } = await db
    .insertInto('invitations')
    .values({
      digest: digestOf(randomUUID()),
      email: '',
      role_id: user.roleId ?? 0,
      user_id: user.id,
      created_at: at,
      expires_at: '2099-01-01T00:00:00.000Z',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
