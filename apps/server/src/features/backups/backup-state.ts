import type { Backups } from '@muster/contract/api/backups'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'

const SETTING = 'backups'

/** How the scheduled backups of all server processes ended. */
export type BackupState = Pick<Backups, 'last' | 'last_success'>

export async function readBackupState(db: Db): Promise<BackupState> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', SETTING).executeTakeFirst()
  // Written below.
  return row === undefined ? { last: null, last_success: null } : (JSON.parse(row.value) as BackupState)
}

export async function writeBackupState(tx: Db, state: BackupState): Promise<void> {
  const value = JSON.stringify(state)
  await tx
    .insertInto('settings')
    .values({ name: SETTING, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

/** Whether the last scheduled backup failed, while backups are scheduled. */
export async function hasBackupFailed({ db, config }: Pick<Context, 'db' | 'config'>): Promise<boolean> {
  return config.backups !== undefined && (await readBackupState(db)).last?.ok === false
}
