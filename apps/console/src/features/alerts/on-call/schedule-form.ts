import {
  type NotifiableUser,
  OnCallForm,
  type OnCallSchedule,
  listOnCallSchedules,
} from '@muster/contract/api/on-call'
import { listEscalationTargets } from '@muster/contract/api/escalations'
import { findRotationProblem, nextShifts, type OnCallRotation } from '@muster/rules/schedules/on-call'
import { query } from '../../../app/api/api.ts'
import { formatDate } from '../../../ui/layout/date-format.ts'

export const schedulesQuery = query(listOnCallSchedules, {})
export const targetsQuery = query(listEscalationTargets, {})

/** The values of the fields. Times of overrides are those of the browser. */
export interface ScheduleForm extends Record<string, unknown> {
  name: string
  rotates: 'daily' | 'weekly'
  starts: string
  time_zone: string
  members: string[]
  overrides: { user: string | null; from: string; to: string }[]
}

export function newScheduleForm(nowMs: number): ScheduleForm {
  return {
    name: '',
    rotates: 'weekly',
    // Today, so that a user is on call at once.
    starts: `${formatDate(nowMs, 'YYYY-MM-DD')}T00:00`,
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    members: [],
    overrides: [],
  }
}

export function readScheduleForm(schedule: OnCallSchedule): ScheduleForm {
  const { name, rotates, starts, time_zone, members, overrides } = schedule
  return {
    name,
    rotates,
    starts,
    time_zone,
    members: members.map(String),
    overrides: overrides.map(({ user, from, to }) => ({
      user: `${user}`,
      from: formatDate(from, 'YYYY-MM-DDTHH:mm'),
      to: formatDate(to, 'YYYY-MM-DDTHH:mm'),
    })),
  }
}

export function toSchedule(form: ScheduleForm): OnCallForm {
  return {
    name: form.name.trim(),
    rotates: form.rotates,
    starts: form.starts,
    time_zone: form.time_zone,
    members: form.members.map(Number),
    overrides: form.overrides.map(({ user, from, to }) => ({
      user: Number(user ?? 0),
      from: toInstant(from),
      to: toInstant(to),
    })),
  }
}

/** Empty for an incomplete time. */
function toInstant(local: string): string {
  const date = new Date(local)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

/** One error for each invalid field. */
export function checkScheduleForm(form: ScheduleForm): Record<string, string> {
  const found: [string, string][] = []
  for (const [index, { user, from, to }] of form.overrides.entries()) {
    if (user === null) found.push([`overrides.${index}.user`, 'Choose a user.'])
    if (toInstant(from) === '') found.push([`overrides.${index}.from`, 'Enter a date and time.'])
    if (toInstant(to) === '') found.push([`overrides.${index}.to`, 'Enter a date and time.'])
  }
  const body = toSchedule(form)
  const issues = OnCallForm.omit({ overrides: true }).safeParse(body).error?.issues ?? []
  for (const { path, message } of issues) found.push([String(path[0]), message])
  if (found.length > 0) return Object.fromEntries(found.toReversed())
  const problem = findRotationProblem(body)
  return problem === undefined
    ? {}
    : { [problem.field === 'overrides' ? 'overrides.0.to' : problem.field]: problem.sentence }
}

/** A shift as words: `Ada until Monday 09:00`. */
export interface ShiftText {
  key: number
  name: string
  /** Empty = at once. */
  from: string
  /** Empty = without end. */
  until: string
  isOverride: boolean
}

/** The users on call now and next. The rotation must be valid. */
export function describeShifts(
  rotation: OnCallRotation,
  { users, nowMs, count }: { users: readonly NotifiableUser[]; nowMs: number; count: number },
): ShiftText[] {
  const byId = new Map(users.map((user) => [user.id, user]))
  const isAvailable = (id: number) => byId.get(id)?.is_active === true
  return nextShifts(rotation, nowMs, count, isAvailable).map((shift) => ({
    key: shift.fromMs,
    name: shift.user === null ? 'Nobody' : (byId.get(shift.user)?.name ?? 'Deleted user'),
    from: shift.fromMs === nowMs ? '' : formatWhen(shift.fromMs, nowMs),
    until: shift.untilMs === null ? '' : formatWhen(shift.untilMs, nowMs),
    isOverride: shift.isOverride,
  }))
}

const SIX_DAYS_MS = 6 * 86_400_000

/** `Monday 09:00` within the next days, else with its date. */
export function formatWhen(atMs: number, nowMs: number): string {
  return formatDate(atMs, atMs - nowMs < SIX_DAYS_MS ? 'dddd HH:mm' : 'D MMM YYYY, HH:mm')
}

/** `every Monday at 09:00`, by the first shift. */
export function describeHandover({ rotates, starts }: Pick<ScheduleForm, 'rotates' | 'starts'>): string {
  if (Number.isNaN(new Date(starts).getTime())) return ''
  const time = starts.slice(11)
  return rotates === 'daily' ? `every day at ${time}` : `every ${formatDate(starts, 'dddd')} at ${time}`
}
