import { isDeepStrictEqual } from 'node:util'
import type { AgentDetail } from '@muster/contract/api/agents'
import { AppError } from '@muster/contract/errors'
import {
  NO_PATCH_POLICY,
  type OwnPatchPolicy,
  PatchApproval,
  PatchPolicy,
  PatchReboot,
  PatchSchedule,
} from '@muster/contract/policies/patch-policy'
import type {
  OwnWinUpdateChange,
  WinUpdateFields,
  WinUpdateView,
} from '@muster/contract/policies/win-update-policy'
import type { Db } from '../../../platform/database/database.ts'
import { readEffective, readOwn } from './machine-policy.ts'

/** The sections of a patch policy that the words of other products set. */
export function readWinUpdate(fields: WinUpdateFields): {
  approval: PatchApproval
  schedule: PatchSchedule
  reboot: PatchReboot
} {
  const { critical, important, moderate, low, other } = fields
  const rule = (action: WinUpdateFields['other']) => ({ action, after_days: 0 })
  const { reboot_after_install: restart } = fields
  const sections = PatchPolicy.parse({
    ...NO_PATCH_POLICY,
    approval: {
      critical: rule(critical),
      important: rule(important),
      moderate: rule(moderate),
      low: rule(low),
      security: rule(other),
      other: rule(other),
    },
    schedule: readTimes(fields),
    reboot: { when: restart === 'never' ? 'never' : 'warn', only_if_needed: restart !== 'always' },
  })
  const { approval, schedule, reboot } = sections
  if (approval === null || schedule === null || reboot === null) throw new Error('a section is missing')
  return { approval, schedule, reboot }
}

function readTimes({
  run_time_frequency: recurs,
  run_time_days: days,
  run_time_day: day,
  run_time_hour: hour,
}: Pick<WinUpdateView, 'run_time_days' | 'run_time_day' | 'run_time_hour'> & {
  run_time_frequency: 'daily' | 'monthly' | 'window'
}) {
  return {
    recurs: recurs === 'daily' ? ('weekly' as const) : recurs,
    // Their week starts on Monday.
    weekdays: (days.length === 0 ? [0, 1, 2, 3, 4, 5, 6] : days)
      .map((one) => (one + 1) % 7)
      .toSorted((a, b) => a - b),
    month_days: recurs === 'monthly' ? [day === 31 ? -1 : day] : [],
    time: `${String(hour).padStart(2, '0')}:00`,
  }
}

const SEVERITIES = ['critical', 'important', 'moderate', 'low', 'other'] as const
const TIMES_OF_MONTH = ['run_time_frequency', 'run_time_day'] as const
const TIMES = [...TIMES_OF_MONTH, 'run_time_hour', 'run_time_days'] as const

/**
 * The sections of a machine's own patch policy that these words change. Fields that are as in the response change
 * nothing: what their words cannot say (ages, categories, deferrals) stays. Throws `invalid`.
 */
export function readOwnWinUpdate(own: OwnPatchPolicy, [given]: OwnWinUpdateChange[]): OwnPatchPolicy {
  if (given === undefined)
    return hasWinUpdate(own) ? { approval: null, schedule: null, reboot: null, alert: null } : {}
  const shown = viewWinUpdate(own, 'inherit')
  const wanted: WinUpdateView = Object.assign({ ...shown }, given)
  const differs = (name: keyof WinUpdateView) => !isDeepStrictEqual(wanted[name], shown[name])
  const severities = SEVERITIES.filter(differs)
  return {
    ...(severities.length > 0 && { approval: changeApproval(own.approval, wanted, severities) }),
    ...(TIMES.some(differs) && { schedule: changeSchedule(own.schedule, wanted, differs) }),
    ...(differs('reboot_after_install') && { reboot: changeReboot(own.reboot, wanted) }),
    ...(differs('email_if_fail') && { alert: { on_failure: wanted.email_if_fail } }),
  }
}

function changeApproval(
  own: OwnPatchPolicy['approval'],
  wanted: WinUpdateView,
  changed: readonly (typeof SEVERITIES)[number][],
): PatchApproval | null {
  const inherited = SEVERITIES.filter((name) => wanted[name] === 'inherit')
  if (inherited.length === SEVERITIES.length) return null
  if (inherited.length > 0) {
    const sentence = 'Use manual, approve or ignore, or inherit for all severities.'
    const fields = inherited.map((name) => [`winupdatepolicy.0.${name}`, [sentence]])
    throw new AppError('invalid', sentence, { fields: Object.fromEntries(fields) })
  }
  const ruleOf = (name: (typeof SEVERITIES)[number]) => ({ action: wanted[name], after_days: 0 })
  return PatchApproval.parse({
    ...own,
    ...Object.fromEntries(changed.map((name) => [name, ruleOf(name)])),
    ...(changed.includes('other') && { security: ruleOf('other') }),
  })
}

function changeSchedule(
  own: OwnPatchPolicy['schedule'],
  { run_time_frequency, ...times }: WinUpdateView,
  differs: (name: keyof WinUpdateView) => boolean,
): PatchSchedule | null {
  if (run_time_frequency === 'inherit' || run_time_frequency === 'never') return null
  return PatchSchedule.parse({
    ...own,
    ...readTimes({ ...times, run_time_frequency }),
    // The words have neither minutes nor several days of a month.
    ...(own && !differs('run_time_hour') && { time: own.time }),
    ...(own && !TIMES_OF_MONTH.some(differs) && { month_days: own.month_days }),
  })
}

function changeReboot(
  own: OwnPatchPolicy['reboot'],
  { reboot_after_install: restart }: WinUpdateView,
): PatchReboot | null {
  if (restart === 'inherit') return null
  const when = own?.when === 'nobody' ? 'nobody' : 'warn'
  return PatchReboot.parse({
    ...own,
    when: restart === 'never' ? 'never' : when,
    only_if_needed: restart !== 'always',
  })
}

/** `missing` = what a section says that is not set. */
export function viewWinUpdate(
  { approval, schedule, reboot, alert }: OwnPatchPolicy,
  missing: 'inherit' | 'nothing',
): WinUpdateView {
  const action = (name: 'critical' | 'important' | 'moderate' | 'low' | 'other') =>
    approval?.[name].action ?? (missing === 'inherit' ? 'inherit' : 'manual')
  return {
    critical: action('critical'),
    important: action('important'),
    moderate: action('moderate'),
    low: action('low'),
    other: action('other'),
    ...viewTimes(schedule ?? null, missing),
    reboot_after_install: viewRestart(reboot ?? null, missing),
    reprocess_failed_inherit: false,
    reprocess_failed: true,
    reprocess_failed_times: 1,
    email_if_fail: alert?.on_failure ?? false,
  }
}

/** The own and the effective patch policy of a machine. */
export async function findWinUpdate(
  db: Db,
  agent: { id: number; agent_id: string },
): Promise<Pick<AgentDetail, 'winupdatepolicy' | 'effective_patch_policy'>> {
  const row = await db
    .selectFrom('machine_patch_policies')
    .select(['policy', 'own'])
    .where('agent', '=', agent.id)
    .executeTakeFirst()
  const own = readOwn(row?.own ?? '{}')
  const { approval, schedule, reboot, alert } = readEffective(row?.policy ?? '{}')
  const effective = {
    approval: approval?.value,
    schedule: schedule?.value,
    reboot: reboot?.value,
    alert: alert?.value,
  }
  return {
    winupdatepolicy: hasWinUpdate(own)
      ? [{ id: agent.id, agent: agent.agent_id, ...viewWinUpdate(own, 'inherit') }]
      : [],
    effective_patch_policy: viewWinUpdate(effective, 'nothing'),
  }
}

/** Whether a section is set that these words can say. */
export function hasWinUpdate({ approval, schedule, reboot, alert }: OwnPatchPolicy): boolean {
  return [approval, schedule, reboot, alert].some((section) => section !== null && section !== undefined)
}

function viewTimes(schedule: PatchSchedule | null, missing: 'inherit' | 'nothing') {
  const [day = 1] = schedule?.month_days ?? []
  return {
    run_time_frequency: viewFrequency(schedule, missing),
    run_time_hour: Number(schedule?.time.slice(0, 2) ?? 3),
    // Their week starts on Monday.
    run_time_days: (schedule?.weekdays ?? []).map((one) => (one + 6) % 7).toSorted((a, b) => a - b),
    run_time_day: day === -1 ? 31 : day,
  }
}

function viewFrequency(
  schedule: PatchSchedule | null,
  missing: 'inherit' | 'nothing',
): WinUpdateView['run_time_frequency'] {
  if (schedule === null) return missing === 'inherit' ? 'inherit' : 'never'
  return schedule.recurs === 'weekly' ? 'daily' : schedule.recurs
}

function viewRestart(
  reboot: PatchReboot | null,
  missing: 'inherit' | 'nothing',
): WinUpdateView['reboot_after_install'] {
  if (reboot === null) return missing === 'inherit' ? 'inherit' : 'never'
  if (reboot.when === 'never') return 'never'
  return reboot.only_if_needed ? 'required' : 'always'
}
