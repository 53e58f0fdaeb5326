import { AppError } from '@muster/contract/errors'
import {
  findRetentionProblems,
  type RecordRetention,
  type Retention,
} from '@muster/rules/schedules/retention'
import type { Context } from '../../context.ts'
import { laterThan } from '../../platform/database/change-row.ts'
import { type Caller, refuseLimited } from '../../platform/http/caller.ts'
import { changeDefault } from '../alerts/templates/set-default.ts'
import type { AssignmentFields } from '../clients/write-client.ts'
import { changeAssignmentFields } from '../policies/assignment-fields.ts'
import { applyAlertDefaults } from '../agents/availability.ts'
import { audit } from '../audit/write-audit.ts'
import {
  lockCoreSettings,
  readCoreSettings,
  SERVER_SWITCHES,
  type StoredSettings,
  writeCoreSettings,
} from '../../platform/config/core-settings.ts'

type Recordings = Pick<
  StoredSettings,
  'record_terminals' | 'recording_keep_days' | 'recording_max_mb' | 'desktop_recording_max_mb'
>

type Kept = Retention & RecordRetention

type Change = { [Name in keyof Recordings]?: Recordings[Name] | undefined } & {
  [Name in keyof Kept]?: number | undefined
} & {
  enable_server_scripts?: boolean | undefined
  enable_server_webterminal?: boolean | undefined
  sso_enabled?: boolean | undefined
  block_local_user_logon?: boolean | undefined
  metrics_interval?: number | undefined
  vnc_targets?: string[] | undefined
  companyname?: string | undefined
  password_min_length?: number | undefined
  availability_alerts_servers?: boolean | undefined
  availability_alerts_workstations?: boolean | undefined
  availability_alerts_asked?: boolean | undefined
  modified?: string | undefined
}

/** Stored with policies and alert templates. */
type Defaults = Pick<AssignmentFields, 'server_policy' | 'workstation_policy'> & {
  alert_template?: number | null | undefined
}

/** The data of each setting, and the job that deletes it after its time. */
const KEPT: Record<keyof Kept, { what: string; job: string }> = {
  check_history_prune_days: { what: 'every sample', job: 'checks.prune-samples' },
  check_history_5min_prune_days: { what: 'means of 5 minutes', job: 'checks.prune-samples' },
  check_history_hourly_prune_days: { what: 'means of an hour', job: 'checks.prune-samples' },
  agent_history_prune_days: { what: 'command history', job: 'history.remove-old' },
  resolved_alerts_prune_days: { what: 'resolved alerts', job: 'alerts.remove-old' },
  audit_log_prune_days: { what: 'the audit log', job: 'audit.remove-old' },
}
// Object.keys returns strings. These are the keys of the line above.
const NAMES = Object.keys(KEPT) as (keyof Kept)[]
const RECORDING_NAMES = [
  'record_terminals',
  'recording_keep_days',
  'recording_max_mb',
  'desktop_recording_max_mb',
] as const
/** Switches for superusers, with their names. */
const SWITCHES = {
  enable_server_scripts: 'scripts on the server',
  enable_server_webterminal: 'the web terminal',
  sso_enabled: 'single sign-on',
  block_local_user_logon: 'password sign-in for superusers only',
}
const SWITCH_NAMES = [...SERVER_SWITCHES, 'sso_enabled', 'block_local_user_logon'] as const
const ALERT_NAMES = ['availability_alerts_servers', 'availability_alerts_workstations'] as const
const ALERTS = {
  availability_alerts_servers: 'availability alerts for servers',
  availability_alerts_workstations: 'availability alerts for workstations',
}
const RECORDED = { servers: 'for servers', all: 'for all machines', none: 'for no machine' }

/** Saves settings of the server. A shorter retention deletes older records at once instead of at night. */
export function changeCoreSettings(
  ctx: Context,
  caller: Caller,
  { server_policy, workstation_policy, alert_template, ...change }: Change & Defaults,
): Promise<void> {
  refuseLimited(caller, 'Settings of the server')
  return ctx.transaction(async (tx, emit) => {
    const parts = { ctx, tx, emit, caller }
    // Policies are always locked first.
    await changeAssignmentFields(parts, { level: 'default', id: '' }, { server_policy, workstation_policy })
    if (alert_template !== undefined) await changeDefault(parts, caller, alert_template)
    await lockCoreSettings(tx)
    const before = await readCoreSettings(tx)
    if (change.modified !== undefined && change.modified !== before.modified) {
      throw new AppError(
        'changed_meanwhile',
        'The settings were changed by another user. Reload them and try again.',
      )
    }
    // Otherwise nobody but superusers could sign in any more.
    if (before.sso_enabled && change.sso_enabled === false) change.block_local_user_logon = false
    const isNew = (name: keyof Change) => change[name] !== undefined && change[name] !== before[name]
    const kept = NAMES.filter(isNew)
    const switched = SWITCH_NAMES.filter(isNew)
    const paced = isNew('metrics_interval')
    const ofRecordings = RECORDING_NAMES.filter(isNew)
    const alerting = ALERT_NAMES.filter(isNew)
    const isAsked = isNew('availability_alerts_asked')
    const isRenamed = isNew('companyname')
    const hasNewLength = isNew('password_min_length')
    const aimed =
      change.vnc_targets !== undefined && change.vnc_targets.join('\n') !== before.vnc_targets.join('\n')
    const changed = [
      ...kept,
      ...ofRecordings,
      ...(paced ? (['metrics_interval'] as const) : []),
      ...(aimed ? (['vnc_targets'] as const) : []),
      ...(isRenamed ? (['companyname'] as const) : []),
      ...(hasNewLength ? (['password_min_length'] as const) : []),
      ...alerting,
      ...(isAsked ? (['availability_alerts_asked'] as const) : []),
      ...switched,
    ]
    if (changed.length === 0) return
    const [firstSwitch] = switched
    if (firstSwitch !== undefined && !caller.isSuperuser)
      throw new AppError('not_allowed', `Only a superuser may switch ${SWITCHES[firstSwitch]} on or off.`)
    if (ctx.config.hosted && SERVER_SWITCHES.some((name) => isNew(name) && change[name] === true)) {
      throw new AppError('not_allowed', 'A hosted server has no web terminal and runs no scripts.')
    }
    if (isAsked && !caller.isSuperuser) {
      throw new AppError('not_allowed', 'Only a superuser may decide whether servers alert.')
    }
    const at = ctx.now()
    const after: StoredSettings = { ...before, modified: laterThan(before.modified, at) }
    for (const name of kept) after[name] = change[name] ?? before[name]
    after.metrics_interval = change.metrics_interval ?? before.metrics_interval
    for (const name of switched) after[name] = change[name] ?? before[name]
    after.record_terminals = change.record_terminals ?? before.record_terminals
    after.recording_keep_days = change.recording_keep_days ?? before.recording_keep_days
    after.recording_max_mb = change.recording_max_mb ?? before.recording_max_mb
    after.desktop_recording_max_mb = change.desktop_recording_max_mb ?? before.desktop_recording_max_mb
    after.password_min_length = change.password_min_length ?? before.password_min_length
    after.companyname = change.companyname ?? before.companyname
    after.vnc_targets = change.vnc_targets ?? before.vnc_targets
    for (const name of alerting) after[name] = change[name] ?? before[name]
    // Setting a default counts as the decision.
    after.availability_alerts_asked =
      alerting.length > 0 || (change.availability_alerts_asked ?? before.availability_alerts_asked)
    refuseShorter(after)
    await writeCoreSettings(tx, after)
    if (alerting.length > 0) await applyAlertDefaults(tx, emit, after)
    const done = [
      ...(kept.length === 0
        ? []
        : [
            `Changed the retention of history: ${kept.map((name) => `${KEPT[name].what} ${keptFor(after[name])}`).join(', ')}`,
          ]),
      ...(paced ? [`Changed the metrics interval to ${after.metrics_interval} seconds`] : []),
      ...(ofRecordings.length === 0 ? [] : [`Changed the recordings: ${describeRecordings(after)}`]),
      ...(aimed ? [`Changed the VNC targets to ${after.vnc_targets.join(', ') || 'none'}`] : []),
      ...(isRenamed ? [`Changed the company to "${after.companyname}"`] : []),
      ...(hasNewLength
        ? [`Changed the minimum length of passwords to ${after.password_min_length} characters`]
        : []),
      ...alerting.map((name) => `Turned ${after[name] ? 'on' : 'off'} ${ALERTS[name]}`),
      ...(isAsked && alerting.length === 0 ? ['Left availability alerts unchanged'] : []),
      ...switched.map((name) => `Switched ${SWITCHES[name]} ${after[name] ? 'on' : 'off'}`),
    ]
    const only = (settings: StoredSettings) =>
      Object.fromEntries(changed.map((name) => [name, settings[name]]))
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'coresettings',
      message: done.join('. '),
      before: only(before),
      after: only(after),
      at,
      emit,
    })
    for (const job of new Set(kept.map((name) => KEPT[name].job)))
      await ctx.jobs.enqueue(job, null, { db: tx })
    if (ofRecordings.length > 0) await ctx.jobs.enqueue('remote.prune-recordings', null, { db: tx })
    emit({ type: 'settings.changed', ids: changed })
  })
}

function describeRecordings(settings: Recordings): string {
  const { record_terminals: which, recording_keep_days: days, recording_max_mb: megabytes } = settings
  const { desktop_recording_max_mb: ofDesktops } = settings
  return `terminals ${RECORDED[which]}, up to ${megabytes} MB each, desktops up to ${ofDesktops} MB, kept ${keptFor(days)}`
}

function refuseShorter(settings: Retention): void {
  const fields = Object.entries(findRetentionProblems(settings))
  const [first] = fields
  if (first === undefined) return
  throw new AppError('invalid', 'Coarser data must be kept at least as long as finer data.', {
    fields: Object.fromEntries(fields.map(([name, sentence]) => [name, [sentence]])),
  })
}

const keptFor = (days: number) => (days === 0 ? 'forever' : `for ${days} ${days === 1 ? 'day' : 'days'}`)

/** Turns off access to the server's own machine if it was on before the server became hosted. */
export async function switchOffWhenHosted(ctx: Context): Promise<void> {
  if (!ctx.config.hosted) return
  await ctx.transaction(async (tx, emit) => {
    await lockCoreSettings(tx)
    const before = await readCoreSettings(tx)
    const on = SERVER_SWITCHES.filter((name) => before[name])
    if (on.length === 0) return
    const at = ctx.now()
    const off = { enable_server_scripts: false, enable_server_webterminal: false }
    await writeCoreSettings(tx, { ...before, ...off, modified: laterThan(before.modified, at) })
    await audit(tx, {
      caller: { username: 'server', source: '' },
      action: 'modify',
      object_type: 'coresettings',
      message: 'Switched off scripts on the server and the web terminal: the server is hosted',
      after: off,
      at,
      emit,
    })
    emit({ type: 'settings.changed', ids: [...on] })
  })
}
