import { getRemoteAccess, type TargetRemoteAccess, setRemoteAccess } from '@muster/contract/api/remote-access'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import { findEnforced, mergeRemoteSettings } from '@muster/rules/remote/remote-rules'
import type { Context } from '../../../context.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { digestOf } from '../../../platform/secrets/secrets.ts'
import { audit } from '../../audit/write-audit.ts'
import { emitRulesChanged } from '../../clients/move-agents.ts'
import {
  auditedChange,
  findMachinesOf,
  findReasonRequired,
  findRecordingRules,
  findUnenforcing,
  listSettings,
  type NamedTarget,
  NO_SETTINGS,
  type TargetRef,
  requireTarget,
  saveSettings,
  type Settings,
} from './queries.ts'

export function remoteAccessRoutes(api: Api, ctx: Context): void {
  route(api, getRemoteAccess, ({ params, caller }) => readAccess(ctx.db, caller, params))
  route(api, setRemoteAccess, ({ params, body, caller }) => changeAccess(ctx, caller, { params, body }))
}

async function readAccess(db: Db, caller: Caller, ref: TargetRef): Promise<TargetRemoteAccess> {
  return viewAccess(db, await requireTarget(db, caller, ref))
}

async function viewAccess(db: Db, { target, name, above }: NamedTarget): Promise<TargetRemoteAccess> {
  const [settings = NO_SETTINGS, ...others] = await listSettings(db, [target, ...above])
  const inherited = {
    ...mergeRemoteSettings(others),
    ...(await findRecordingRules(db, above)),
    ask_purpose: await findReasonRequired(db, above),
  }
  const not_enforced = await findUnenforcing(db, target)
  const enforced = findEnforced(others)
  return { name, settings, inherited, enforced, not_enforced, modified: modifiedOf(settings) }
}

/** Stores the remote access settings of a target, and notifies its machines. */
async function changeAccess(
  ctx: Context,
  caller: Caller,
  { params, body }: Pick<Parsed<typeof setRemoteAccess>, 'params' | 'body'>,
): Promise<TargetRemoteAccess> {
  return ctx.transaction(async (tx, emit) => {
    const named = await requireTarget(tx, caller, params)
    const { target } = named
    const { modified, ...settings } = body
    const [before = NO_SETTINGS] = await listSettings(tx, [target])
    if (modified !== undefined && modified !== modifiedOf(before))
      throw new AppError(
        'changed_meanwhile',
        'The remote access settings were changed by another user. Reload them and try again.',
      )
    if (modifiedOf(before) === modifiedOf(settings)) return viewAccess(tx, named)
    refuseEnforced({ before, after: settings, enforced: findEnforced(await listSettings(tx, named.above)) })
    await saveSettings(tx, target, settings)
    await audit(tx, {
      caller,
      action: 'modify',
      ...auditedChange('remote access', named),
      before,
      after: settings,
      at: ctx.now(),
      emit,
    })
    emitRulesChanged(emit, await findMachinesOf(tx, target))
    return viewAccess(tx, named)
  })
}

/** Refuses values that would not count. Stored ones may stay, and may be taken away. */
function refuseEnforced({
  before,
  after,
  enforced,
}: {
  before: Settings
  after: Settings
  enforced: readonly string[]
}): void {
  const kept = new Map<string, unknown>(Object.entries(before))
  const refused = Object.entries(after).filter(
    ([name, value]) =>
      enforced.includes(name) && value !== null && JSON.stringify(value) !== JSON.stringify(kept.get(name)),
  )
  if (refused.length === 0) return
  throw new AppError('not_allowed', 'A level above enforces some of these settings. Reload them.', {
    fields: Object.fromEntries(refused.map(([name]) => [name, ['A level above enforces this setting.']])),
  })
}

/** In the order of fields of the contract. */
function modifiedOf(settings: Settings): string {
  const { forbidden, hours, consent, consent_seconds, banner, ask_purpose } = settings
  const { record_terminals, record_desktops, enforced } = settings
  const said = [
    forbidden,
    hours,
    consent,
    consent_seconds,
    banner,
    ask_purpose,
    record_terminals,
    record_desktops,
    // Without it, as older settings were.
    ...(enforced ? [enforced] : []),
  ]
  return digestOf(JSON.stringify(said)).slice(0, 32)
}
