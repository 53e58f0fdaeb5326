import { DEFAULT_DATE_FORMAT } from '@muster/rules/layout'
import moment from 'moment'
import { createContext, use } from 'react'

/** The user's date format, as tokens (`MMM-DD-YYYY - HH:mm`). */
export const DateFormat = createContext(DEFAULT_DATE_FORMAT)

/** An instant in the browser's zone, by tokens; nothing for what is no instant. */
export function formatDate(instant: string | number, format: string): string {
  const date = moment(typeof instant === 'number' && instant < UNIX_SECONDS_BELOW ? instant * 1000 : instant)
  return date.isValid() ? date.format(format) : ''
}

/** Formats instants as the user wants them: `const format = useDateFormat()`. */
export function useDateFormat(): (instant: string | number) => string {
  const format = use(DateFormat)
  return (instant) => formatDate(instant, format)
}

const UNIX_SECONDS_BELOW = 100_000_000_000
