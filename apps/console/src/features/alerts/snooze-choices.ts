import { nextReminderAt } from '@muster/rules/schedules/reminder'

export interface SnoozeChoice {
  value: string
  label: string
  untilMs: number
}

/** Snooze times; the first one is the default. */
export function listSnoozeChoices(nowMs: number): SnoozeChoice[] {
  return [
    { value: 'reminder', label: 'The next reminder', untilMs: nextReminderAt(nowMs) },
    { value: 'hour', label: '1 hour', untilMs: nowMs + HOUR_MS },
    { value: 'tomorrow', label: 'Tomorrow morning', untilMs: tomorrowAt(nowMs, MORNING_HOUR) },
    { value: 'day', label: '1 day', untilMs: nowMs + DAY_MS },
    { value: 'week', label: '1 week', untilMs: nowMs + 7 * DAY_MS },
  ]
}

/** `2026-11-22T08:00` in local time, for a datetime field. */
export function toLocalText(ms: number): string {
  const date = new Date(ms)
  const two = (number: number) => `${number}`.padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`
}

/** The instant of a local date and time; undefined if invalid. */
export function fromLocalText(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text)) return undefined
  const ms = new Date(text).getTime()
  return Number.isNaN(ms) ? undefined : ms
}

/** The error of a snooze time, or undefined. */
export function checkSnooze(untilMs: number | undefined, nowMs: number): string | undefined {
  if (untilMs === undefined) return 'Enter a date and a time.'
  if (untilMs <= nowMs) return 'Choose a time in the future.'
  return untilMs > nowMs + MAX_DAYS * DAY_MS ? `At most ${MAX_DAYS} days.` : undefined
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MORNING_HOUR = 8
const MAX_DAYS = 9998

function tomorrowAt(nowMs: number, hour: number): number {
  const date = new Date(nowMs)
  date.setDate(date.getDate() + 1)
  date.setHours(hour, 0, 0, 0)
  return date.getTime()
}
