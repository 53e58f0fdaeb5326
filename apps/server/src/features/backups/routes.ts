import { type Backups, getBackups, startBackup } from '@muster/contract/api/backups'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { refuseLimited } from '../../platform/http/caller.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { audit } from '../audit/write-audit.ts'
import { readBackupState } from './backup-state.ts'
import { BACKUP_JOB, listBackups } from './jobs.ts'

const MAX_FILES = 1000

export function backupsRoutes(api: Api, ctx: Context): void {
  route(api, getBackups, () => viewBackups(ctx))

  route(api, startBackup, async ({ caller }) => {
    refuseLimited(caller, 'A backup')
    if (ctx.config.backups === undefined)
      throw new AppError(
        'conflict',
        'This server writes no backups. Set MUSTER_BACKUP_FOLDER and MUSTER_BACKUP_PASSPHRASE, and restart it.',
      )
    await ctx.transaction(async (tx, emit) => {
      const at = ctx.now()
      // One in a minute: a second click starts no second backup. Ids that begin with the job are those of its schedule.
      const id = `by-user:${BACKUP_JOB}:${Math.floor(at.getTime() / 60_000)}`
      if (!(await ctx.jobs.enqueue(BACKUP_JOB, null, { id, db: tx }))) return
      await audit(tx, {
        caller,
        action: 'modify',
        object_type: 'coresettings',
        message: 'Started a backup',
        at,
        emit,
      })
      emit({ type: 'settings.changed', ids: ['backups'] })
    })
    return viewBackups(ctx)
  })
}

async function viewBackups({ db, config, now }: Context): Promise<Backups> {
  const schedule = config.backups ?? null
  const open = await db
    .selectFrom('jobs')
    .select('id')
    .where('name', '=', BACKUP_JOB)
    .where('done_at', 'is', null)
    .where('due_at', '<=', now().toISOString())
    .limit(1)
    .execute()
  // A folder that is not there yet, or any more.
  const files = schedule === null ? [] : await listBackups(schedule).catch(() => [])
  return {
    schedule,
    running: schedule !== null && open.length > 0,
    ...(await readBackupState(db)),
    files: files
      .filter(({ isPartial }) => !isPartial)
      .slice(0, MAX_FILES)
      .map(({ name, at, bytes }) => ({ name, at: at.toISOString(), bytes })),
  }
}
