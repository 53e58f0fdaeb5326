import moment from 'moment'
import { createContext, use } from 'react'
import { DEFAULT_DATE_FORMAT } from '@muster/rules/text/layout'

/** An instant in the browser's zone, by tokens; empty for an invalid instant. */
export function formatDate(instant: string | number, format: string): string {
  const date = moment(typeof instant === 'number' && instant < UNIX_SECONDS_BELOW ? instant * 1000 : instant)
  return date.isValid() ? date.format(format) : ''
}

/** Formats instants in the user's format: `const format = useDateFormat()`. */
export function useDateFormat(): (instant: string | number) => string {
  const format = use(DateFormat)
  return (instant) => formatDate(instant, format)
}

const UNIX_SECONDS_BELOW = 100_000_000_000

/** The user's date format, as tokens (`MMM-DD-YYYY - HH:mm`). */
export const DateFormat = createContext(DEFAULT_DATE_FORMAT)
