import { parseSearch, stringifySearch } from '../../../app/search.ts'
import { PRIORITY_CHOICES, TIME_CHOICES } from './log-labels.ts'
import type { Filter } from './use-log-entries.ts'

export type WantedLog = Omit<Filter, 'askedAt'>

const FIRST: WantedLog = {
  unit: '',
  log: 'System',
  eventId: '',
  source: '',
  priority: 'debug',
  seconds: 86_400,
  search: '',
}

/** The log filter in the address: `unit=ssh.service&priority=err`; absent parts have their defaults. */
export function readLogFilter(find: string): WantedLog {
  const { priority, seconds, ...words } = parseSearch(find)
  const word = (name: 'unit' | 'log' | 'eventId' | 'source' | 'search') =>
    words[name]?.slice(0, 255) ?? FIRST[name]
  return {
    unit: word('unit'),
    log: word('log'),
    eventId: word('eventId'),
    source: word('source'),
    search: word('search'),
    priority: PRIORITY_CHOICES.find(({ value }) => value === priority)?.value ?? FIRST.priority,
    seconds: Number(TIME_CHOICES.find(({ value }) => value === seconds)?.value ?? FIRST.seconds),
  }
}

export function writeLogFilter(filter: WantedLog): string {
  const first: Record<string, unknown> = { ...FIRST }
  const changed = Object.entries(filter).filter(([name, value]) => value !== first[name])
  return stringifySearch(Object.fromEntries(changed)).slice(1)
}
