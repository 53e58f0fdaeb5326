import type { Context } from '../context.ts'
import { generateKeyPem, openSigningKey, type SigningKey } from '../platform/agent-link/keys.ts'

const SETTING = 'command_key'

/** The server's command key: made once, kept encrypted in the settings, the same for every process. */
export async function openCommandKey(ctx: Context): Promise<SigningKey> {
  const sealed = ctx.secrets.encrypt(generateKeyPem())
  await ctx.db
    .insertInto('settings')
    .values({ name: SETTING, value: JSON.stringify(sealed) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const row = await ctx.db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', SETTING)
    .executeTakeFirstOrThrow()
  // Written above, or by an earlier start, as JSON of the sealed text.
  const stored = JSON.parse(row.value) as string
  try {
    return openSigningKey(ctx.secrets.decrypt(stored))
  } catch (cause) {
    throw new Error(
      'the command key in the database was sealed with another secret.key: restore the one that belongs to it',
      { cause },
    )
  }
}
