import type { PatchPolicy, PatchSection } from '@muster/contract/policies/patch-policy'

/** The parts of a patch policy in the order of the form. */
export const PART_TITLES: Record<PatchSection, string> = {
  approval: 'Approval',
  ring: 'Ring',
  schedule: 'Schedule',
  scripts: 'Scripts',
  reboot: 'Restart',
  alert: 'Alert',
}

/** A part when it is switched on. */
export const NEW_PARTS: { [Section in PatchSection]: NonNullable<PatchPolicy[Section]> } = {
  approval: {
    critical: { action: 'approve', after_days: 0 },
    important: { action: 'approve', after_days: 7 },
    moderate: { action: 'approve', after_days: 7 },
    low: { action: 'approve', after_days: 7 },
    security: { action: 'approve', after_days: 7 },
    other: { action: 'manual', after_days: 0 },
    categories: [],
    ignore: [],
  },
  ring: { ring: 1, delay_days: 0, after_ring: false },
  schedule: { recurs: 'weekly', weekdays: [6], month_days: [], time: '03:00', late_hours: 24 },
  scripts: { before: null, after: null, timeout: 600 },
  reboot: {
    when: 'warn',
    only_if_needed: true,
    message: '',
    delay_minutes: 15,
    postponements: 4,
    postpone_minutes: 60,
    deadline_hours: 24,
  },
  alert: { on_failure: true },
}

/** Why a patch policy cannot be saved; undefined if it can. */
export function findPatchProblem({ schedule, scripts, ring }: PatchPolicy): string | undefined {
  if (schedule?.recurs === 'weekly' && schedule.weekdays.length === 0) return 'Choose a day of the week.'
  if (schedule?.recurs === 'monthly' && schedule.month_days.length === 0)
    return 'Enter a day of the month, for example 15 or last.'
  if (scripts !== null && scripts.before === null && scripts.after === null) return 'Choose a script.'
  if (ring !== null && ring.after_ring && ring.ring === 1) return 'No ring comes before ring 1.'
  return undefined
}

/** `1, 15, last` as days of the month. Anything else is left out. */
export function readMonthDays(text: string): number[] {
  const words = text.toLowerCase().split(/[\s,]+/)
  const days = words.map((word) => (word === 'last' ? -1 : Number(word)))
  return [...new Set(days.filter((day) => Number.isInteger(day) && ((day >= 1 && day <= 31) || day === -1)))]
}

export const writeMonthDays = (days: readonly number[]): string =>
  days.map((day) => (day === -1 ? 'last' : `${day}`)).join(', ')
