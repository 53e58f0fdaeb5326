import { DEFAULT_DATE_FORMAT } from '@muster/rules/text/layout'
import { createContext } from 'react'

/** The user's date format, as tokens (`MMM-DD-YYYY - HH:mm`). */
export const DateFormat = createContext(DEFAULT_DATE_FORMAT)
