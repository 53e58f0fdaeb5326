import type { setUpdateSettings, TargetUpdateSettings, UpdateSettings } from '@muster/contract/api/updates'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import { DEFAULT_MAX_ROLLBACKS, DEFAULT_WAVES } from '@muster/rules/agents/update-waves'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { type Caller, refuseLimited } from '../../platform/http/caller.ts'
import { digestOf } from '../../platform/secrets/secrets.ts'
import { audit } from '../audit/write-audit.ts'
import {
  auditedChange,
  type NamedTarget,
  requireTarget,
  targetColumns,
  type TargetRef,
} from '../remote/access/queries.ts'
import { OFFER_JOB } from './order-updates.ts'
import { NO_SETTINGS, readServerSettings, readSettings, SERVER_KEY } from './queries.ts'

type Target = NamedTarget['target']

export async function readUpdateSettings(
  db: Db,
  caller: Caller,
  ref: TargetRef,
): Promise<TargetUpdateSettings> {
  const { target, name, above } = await requireTarget(db, caller, ref)
  const ofAll = await readServerSettings(db)
  const settings = await findSettings(db, target)
  const inherited = { ...ofAll }
  for (const one of above) {
    if (one.level === 'default') continue
    const { mode, version, waves } = await findSettings(db, one)
    if (mode !== null) Object.assign(inherited, { mode, version })
    if (waves !== null) Object.assign(inherited, { waves })
  }
  return {
    name,
    settings,
    inherited: target.level === 'default' ? DEFAULTS : inherited,
    modified: modifiedOf(settings),
  }
}

/** Pauses, pins or releases the updates of a target. */
export async function changeUpdateSettings(
  ctx: Context,
  caller: Caller,
  { params, body }: Pick<Parsed<typeof setUpdateSettings>, 'params' | 'body'>,
): Promise<TargetUpdateSettings> {
  const { modified, ...settings } = body
  refuseInvalid(settings, params.level)
  if (params.level === 'default') refuseLimited(caller, 'Settings of the server')
  return ctx.transaction(async (tx, emit) => {
    const named = await requireTarget(tx, caller, params)
    const { target } = named
    const before = await findSettings(tx, target)
    if (modified !== undefined && modified !== modifiedOf(before))
      throw new AppError(
        'changed_meanwhile',
        'The update settings were changed by another user. Reload them and try again.',
      )
    if (modifiedOf(before) === modifiedOf(settings)) return readUpdateSettings(tx, caller, params)
    const row = { settings: JSON.stringify(settings) }
    await tx
      .insertInto('update_settings')
      .values({
        place: placeOf(target),
        ...targetColumns(target),
        ...row,
      })
      .onConflict((conflict) => conflict.column('place').doUpdateSet(row))
      .execute()
    await audit(tx, {
      caller,
      action: 'modify',
      ...auditedChange('agent updates', named),
      before,
      after: settings,
      at: ctx.now(),
      emit,
    })
    emit({ type: 'rollout.changed', ids: [] })
    await ctx.jobs.enqueue(OFFER_JOB, null, { db: tx })
    return readUpdateSettings(tx, caller, params)
  })
}

const DEFAULTS: TargetUpdateSettings['inherited'] = {
  mode: 'automatic',
  version: null,
  waves: DEFAULT_WAVES,
  max_rollbacks: DEFAULT_MAX_ROLLBACKS,
}

function refuseInvalid(
  { mode, version, waves, max_rollbacks }: UpdateSettings,
  level: TargetRef['level'],
): void {
  if ((mode === 'pinned') !== (version !== null))
    throw new AppError('invalid', 'Pinning needs a version, and nothing else does.', {
      fields: { version: ['Enter the version to stay at.'] },
    })
  if (level === 'agent' && waves !== null)
    throw new AppError('invalid', 'A machine has no waves of its own.', {
      fields: { waves: ['A machine has no waves of its own.'] },
    })
  if (level !== 'default' && max_rollbacks !== null)
    throw new AppError('invalid', 'Rollbacks are counted over all machines.', {
      fields: { max_rollbacks: ['Rollbacks are counted over all machines.'] },
    })
}

async function findSettings(db: Db, target: Target): Promise<UpdateSettings> {
  const row = await db
    .selectFrom('update_settings')
    .select('settings')
    .where('place', '=', placeOf(target))
    .executeTakeFirst()
  return row === undefined ? NO_SETTINGS : readSettings(row.settings)
}

function placeOf(target: Target): string {
  return target.level === 'default' ? SERVER_KEY : `${target.level}:${target.id}`
}

function modifiedOf({ mode, version, waves, max_rollbacks }: UpdateSettings): string {
  return digestOf(JSON.stringify([mode, version, waves, max_rollbacks])).slice(0, 32)
}
