import moment from 'moment'
import { use } from 'react'
import { DateFormat } from './date-format-context.ts'

/** An instant in the browser's zone, by tokens; empty for an invalid instant. */
export function formatDate(instant: string | number, format: string): string {
  const date = moment(typeof instant === 'number' && instant < UNIX_SECONDS_BELOW ? instant * 1000 : instant)
  return date.isValid() ? date.format(format) : ''
}

/** The same in the zone of a machine; undefined for a zone that the browser does not know. */
export function formatInZone(instant: string | number, format: string, timeZone: string): string | undefined {
  try {
    const date = moment(instant)
    const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
    const name = parts.formatToParts(date.toDate()).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    // `GMT` or `GMT+02:00`
    return date.utcOffset(name.slice('GMT'.length) || 0).format(format)
  } catch {
    return undefined
  }
}

/** Formats instants in the user's format: `const format = useDateFormat()`. */
export function useDateFormat(): (instant: string | number) => string {
  const format = use(DateFormat)
  return (instant) => formatDate(instant, format)
}

const UNIX_SECONDS_BELOW = 100_000_000_000
