import { describeMonthDays, listed, WEEKDAYS } from '../schedules/day-text.ts'
import { describeDays, PATCH_CLASSES, type PatchApproval, type PatchRing } from './patch-approval.ts'
import type { PatchReboot } from './patch-reboot.ts'
import type { PatchSchedule } from './patch-schedule.ts'

/** The parts of a patch policy as words, for plans, the effective policy and its form. */

/** `Approve critical at once, security after 3 days; ignore low; others manually`. */
export function describeApproval(approval: PatchApproval): string {
  const rules = [
    ...approval.categories.map((rule) => ({ ...rule, name: rule.category })),
    ...PATCH_CLASSES.map((name) => ({ ...approval[name], name })),
  ]
  const approved = rules.filter(({ action }) => action === 'approve')
  const groups = Map.groupBy(approved, ({ after_days }) => after_days)
  const when = Array.from(
    groups,
    ([after, group]) => `${listed(group.map(({ name }) => name))} ${describeDays(after)}`,
  )
  const ignored = rules.filter(({ action }) => action === 'ignore').map(({ name }) => name)
  const named = approval.ignore.length
  const parts = [
    when.length === 0 ? 'Approve patches manually' : `Approve ${when.join(', ')}`,
    ...(ignored.length === 0 ? [] : [`ignore ${listed(ignored)}`]),
    ...(named === 0 ? [] : [`ignore ${named} named ${named === 1 ? 'patch' : 'patches'}`]),
  ]
  return parts.join('; ')
}

/** `Ring 2, 7 days after ring 1`. */
export function describeRing({ ring, delay_days, after_ring }: PatchRing): string {
  const delay = `${delay_days} ${delay_days === 1 ? 'day' : 'days'}`
  if (ring > 1 && after_ring) return `Ring ${ring}, ${delay} after a success in ring ${ring - 1}`
  return delay_days === 0 ? `Ring ${ring}` : `Ring ${ring}, ${delay} later`
}

/** `Install every Tuesday and Thursday at 03:00, or when it connects within 24 hours`. */
export function describePatchSchedule({
  recurs,
  weekdays,
  month_days,
  time,
  late_hours,
}: PatchSchedule): string {
  if (recurs === 'window') return 'Install in each maintenance window of the machine'
  const late = `, or when it connects within ${late_hours} ${late_hours === 1 ? 'hour' : 'hours'}`
  if (recurs === 'weekly') {
    const days = WEEKDAYS.filter((_, day) => weekdays.includes(day))
    return `Install every ${days.length === WEEKDAYS.length ? 'day' : listed(days)} at ${time}${late}`
  }
  return `Install on ${describeMonthDays(month_days)} of each month at ${time}${late}`
}

/** `Restart if needed: warn the user 15 minutes before, up to 4 postponements by 60 minutes, within 24 hours`. */
export function describeReboot({
  when,
  only_if_needed,
  delay_minutes,
  postponements,
  postpone_minutes,
  deadline_hours,
}: PatchReboot): string {
  if (when === 'never') return 'Never restart'
  const start = only_if_needed ? 'Restart if needed' : 'Restart after each installation'
  const limit = `within ${deadline_hours} ${deadline_hours === 1 ? 'hour' : 'hours'}`
  if (when === 'nobody') return `${start}, only while nobody is signed in, ${limit}`
  const often = `${postponements} ${postponements === 1 ? 'postponement' : 'postponements'}`
  const later = postponements === 0 ? 'without postponement' : `up to ${often} by ${postpone_minutes} minutes`
  return `${start}: warn the user ${delay_minutes} minutes before, ${later}, ${limit}`
}

export function describePatchScripts({
  before,
  after,
}: {
  before: string | null
  after: string | null
}): string {
  const words = [
    ...(before === null ? [] : [`"${before}" before`]),
    ...(after === null ? [] : [`"${after}" after`]),
  ]
  return `Run the ${words.length === 1 ? 'script' : 'scripts'} ${listed(words)} the installation`
}

export function describePatchAlert({ on_failure }: { on_failure: boolean }): string {
  return on_failure ? 'Alert when an installation fails' : 'No alert when an installation fails'
}
