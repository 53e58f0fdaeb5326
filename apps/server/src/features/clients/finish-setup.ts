import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { lockCoreSettings, readCoreSettings, writeCoreSettings } from '../../platform/config/core-settings.ts'

/** A row of `settings` that exists once any client was added: the first-time setup is closed for good. */
const SETUP_DONE = 'setup_done'

export async function isSetupOpen(db: Db): Promise<boolean> {
  const row = await db.selectFrom('settings').select('name').where('name', '=', SETUP_DONE).executeTakeFirst()
  return row === undefined
}

/** Closes the first-time setup. Returns true for exactly one call, also with concurrent calls. */
export async function markSetupDone(tx: Db): Promise<boolean> {
  const result = await tx
    .insertInto('settings')
    .values({ name: SETUP_DONE, value: 'true' })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Stores the settings of the setup page besides the first client and site. */
export async function finishSetup(
  tx: Db,
  caller: Caller,
  { companyname }: { companyname?: string | undefined },
  emit: (event: Event) => void,
): Promise<void> {
  const after = companyname === undefined ? {} : { companyname }
  if (companyname !== undefined) {
    await lockCoreSettings(tx)
    await writeCoreSettings(tx, { ...(await readCoreSettings(tx)), companyname })
  }
  const message = 'Finished the first-time setup'
  await audit(tx, { caller, action: 'modify', object_type: 'coresettings', message, after, emit })
  emit({ type: 'settings.changed', ids: [SETUP_DONE, ...Object.keys(after)] })
}
