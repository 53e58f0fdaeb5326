import { createECDH } from 'node:crypto'
import type { Context } from '../../../context.ts'

/** The server's key pair for push services (VAPID, RFC 8292), base64url. */
export interface PushKeys {
  publicKey: string
  privateKey: string
}

const SETTING = 'push_key'

/** Created once, stored encrypted in the settings, shared by all processes. */
export async function openPushKeys({ db, secrets }: Pick<Context, 'db' | 'secrets'>): Promise<PushKeys> {
  const sealed = secrets.encrypt(JSON.stringify(generateKeys()))
  await db
    .insertInto('settings')
    .values({ name: SETTING, value: JSON.stringify(sealed) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', SETTING)
    .executeTakeFirstOrThrow()
  // Written above, or by an earlier start, as JSON of the sealed text.
  return JSON.parse(secrets.decrypt(JSON.parse(row.value) as string)) as PushKeys
}

function generateKeys(): PushKeys {
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys().toString('base64url')
  const bytes = pair.getPrivateKey()
  // Leading zeros are missing in one of 256 keys.
  const privateKey = Buffer.concat([Buffer.alloc(32 - bytes.length), bytes]).toString('base64url')
  return { publicKey, privateKey }
}
