import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'

const KEY_SETTING = 'secret_key_id'

/**
 * Every server on the database must be able to decrypt the data of the others. Checked at the start, before the first
 * sign-in with a code fails for an obscure reason.
 */
export async function refuseForeignKey({ db, secrets, config }: Context): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name: KEY_SETTING, value: JSON.stringify(secrets.keyId) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const row = await db
    .selectFrom('settings')
    .where('name', '=', KEY_SETTING)
    .select('value')
    .executeTakeFirstOrThrow()
  if (row.value === JSON.stringify(secrets.keyId)) return
  throw new AppError(
    'conflict',
    `the database was written with another secret.key than the one in ${config.dataFolder}: restore the matching one (servers that share a database share the key)`,
  )
}
