import { MaintenanceSchedule, type MaintenanceWindow } from '@muster/contract/api/maintenance'
import { findScheduleProblem, type MaintenanceTimes } from '@muster/rules/schedules/maintenance-schedule'
import { nextReminderAt } from '@muster/rules/schedules/reminder'
import { instantOf, wallClockAt } from '@muster/rules/schedules/zone-time'
import { writeTarget } from './window-state.ts'
import { serverNow } from '../../ui/layout/server-clock.ts'

export interface WindowForm extends Record<string, unknown> {
  /** `client-3`, `site-2`, `agent-abc`. */
  targets: string[]
  when: When
  /** No end time. */
  open: boolean
  /** For maintenance that starts now: end in the browser's time zone. */
  now_until: string
  date: string
  time: string
  length: number | string
  unit: Unit
  weekdays: string[]
  /** `1, 15, last`. */
  month_days: string
  time_zone: string
  /** Last possible start; empty = no limit. */
  until: string
  reason: string
}

export type When = 'now' | MaintenanceSchedule['recurs']
type Unit = keyof typeof UNIT_MINUTES

const MINUTE_MS = 60_000
const UNIT_MINUTES = { minutes: 1, hours: 60, days: 1440 }
const UNITS: readonly Unit[] = ['days', 'hours', 'minutes']

export const UNIT_CHOICES = [
  { value: 'minutes', label: 'minutes' },
  { value: 'hours', label: 'hours' },
  { value: 'days', label: 'days' },
]

/** An initial form: now until the next reminder, or planned for the coming night. */
export function newForm(targets: string[], zone: string, nowMs = serverNow()): WindowForm {
  return {
    targets,
    when: 'now',
    open: false,
    now_until: localText(zone, nextReminderAt(nowMs)),
    date: localText(zone, nowMs + 86_400_000).slice(0, 10),
    time: '02:00',
    length: 2,
    unit: 'hours',
    weekdays: ['0'],
    month_days: '1',
    time_zone: zone,
    until: '',
    reason: '',
  }
}

export function readForm({ schedule, targets, reason }: MaintenanceWindow, nowMs = serverNow()): WindowForm {
  const { starts, minutes, recurs, weekdays, month_days: monthDays, time_zone: zone, until } = schedule
  const unit = UNITS.find((name) => (minutes ?? 60) % UNIT_MINUTES[name] === 0) ?? 'minutes'
  return {
    ...newForm(targets.map(writeTarget), zone, nowMs),
    when: recurs,
    open: minutes === null,
    date: starts.slice(0, 10),
    time: starts.slice(11),
    length: minutes === null ? hoursSoFar(schedule, nowMs) + 1 : minutes / UNIT_MINUTES[unit],
    unit,
    ...(weekdays.length === 0 ? {} : { weekdays: weekdays.map(String) }),
    ...(monthDays.length === 0
      ? {}
      : { month_days: monthDays.map((day) => (day === -1 ? 'last' : `${day}`)).join(', ') }),
    until: until ?? '',
    reason,
  }
}

/** For a window without an end time: an end in the future. */
function hoursSoFar({ starts, time_zone: zone }: MaintenanceSchedule, nowMs: number): number {
  const startMs = instantOf(zone, Date.parse(`${starts}Z`))
  return Math.max(1, Math.ceil((nowMs - startMs) / 3_600_000))
}

/** The schedule of the form; undefined while a date, time or number is invalid. */
export function toSchedule(
  values: WindowForm,
  ownZone: string,
  nowMs = serverNow(),
): MaintenanceSchedule | undefined {
  const { when, open, time_zone: zone, until } = values
  if (when === 'now') return scheduleFromNow(values, ownZone, nowMs)
  const recurs = when !== 'once'
  const parsed = MaintenanceSchedule.safeParse({
    starts: `${values.date}T${values.time}`,
    minutes: open && !recurs ? null : Number(values.length || Number.NaN) * UNIT_MINUTES[values.unit],
    time_zone: zone,
    recurs: when,
    weekdays: when === 'weekly' ? values.weekdays.map(Number) : [],
    month_days: when === 'monthly' ? readMonthDays(values.month_days) : [],
    until: recurs && until !== '' ? until : null,
  })
  return parsed.success ? parsed.data : undefined
}

/** Errors by field. */
export function checkForm(values: WindowForm, ownZone: string, nowMs = serverNow()): Record<string, string> {
  const errors: Record<string, string> = {}
  if (values.targets.length === 0) errors.targets = 'Choose at least one client, site or machine.'
  if (values.when === 'now') {
    const schedule = scheduleFromNow(values, ownZone, nowMs)
    if (schedule === undefined) errors.now_until = 'Choose a time within the next year.'
    return errors
  }
  if (!/^\d{4}-\d{2}-\d{2}$/.test(values.date)) errors.date = 'Choose a day.'
  if (!/^\d{2}:\d{2}$/.test(values.time)) errors.time = 'Choose a time.'
  const isOpen = values.open && values.when === 'once'
  const minutes = Number(values.length) * UNIT_MINUTES[values.unit]
  if (!isOpen && !(Number.isInteger(minutes) && minutes >= 1 && minutes <= 527_040)) {
    errors.length = 'Enter 1 minute to 366 days.'
  }
  if (values.when === 'monthly' && readMonthDays(values.month_days).includes(0)) {
    errors.month_days = 'Enter numbers from 1 to 31 or "last", separated by commas.'
  }
  if (Object.keys(errors).length > 0) return errors
  const schedule = toSchedule(values, ownZone, nowMs)
  const problem = schedule === undefined ? undefined : findScheduleProblem(schedule)
  if (schedule === undefined) errors.date = 'No such date.'
  else if (problem !== undefined) errors[FIELD_OF[problem.field]] = problem.sentence
  return errors
}

const FIELD_OF: Record<keyof MaintenanceTimes, keyof WindowForm & string> = {
  starts: 'date',
  minutes: 'length',
  time_zone: 'time_zone',
  recurs: 'when',
  weekdays: 'weekdays',
  month_days: 'month_days',
  until: 'until',
}

function scheduleFromNow({ open, now_until: end }: WindowForm, zone: string, nowMs: number) {
  const startMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS
  const endWallMs = Date.parse(`${end}Z`)
  const minutes = Number.isNaN(endWallMs) ? 0 : (instantOf(zone, endWallMs) - startMs) / MINUTE_MS
  if (!open && (minutes < 1 || minutes > 527_040)) return undefined
  return MaintenanceSchedule.parse({
    starts: localText(zone, startMs),
    minutes: open ? null : Math.ceil(minutes),
    time_zone: zone,
    recurs: 'once',
  })
}

/** `1, 15, last`; 0 stands for an invalid day. */
function readMonthDays(text: string): number[] {
  const words = text.split(/[\s,;]+/).filter(Boolean)
  return [...new Set(words.map((word) => (/^last$/i.test(word) ? -1 : readDay(word))))]
}

function readDay(word: string): number {
  const day = Number(word)
  return Number.isInteger(day) && day >= 1 && day <= 31 ? day : 0
}

function localText(zone: string, instantMs: number): string {
  return new Date(wallClockAt(zone, instantMs)).toISOString().slice(0, 16)
}
