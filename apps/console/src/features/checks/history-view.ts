import type { TimeRange } from './graph-data.ts'
import { serverNow } from '../../ui/layout/server-clock.ts'

/** The last minutes, by the second where a machine measures live. */
export const LIVE_RANGE = { value: 'live', label: 'Live', seconds: 300 } as const
export const RANGES = [
  { value: '1h', label: '1 h', seconds: 3600 },
  { value: '24h', label: '24 h', seconds: 86_400 },
  { value: '7d', label: '7 d', seconds: 7 * 86_400 },
  { value: '30d', label: '30 d', seconds: 30 * 86_400 },
  { value: '90d', label: '90 d', seconds: 90 * 86_400 },
] as const
const NAMED = [LIVE_RANGE, ...RANGES]
export type RangeName = (typeof NAMED)[number]['value']

/** The view of a check's history in the address: `24h`, `1790000000-1790003600,swap_percent,table`. */
export interface HistoryView {
  /** A range that ends now and moves on, or two moments. */
  range: RangeName | TimeRange
  series: string | undefined
  asTable: boolean
}

const START: HistoryView = { range: '24h', series: undefined, asTable: false }

export function readView(text: string | undefined): HistoryView {
  const [range = '', series = '', table] = (text ?? '').split(',')
  return {
    range: readRange(range) ?? START.range,
    series: series === '' ? undefined : series,
    asTable: table === 'table',
  }
}

export function writeView({ range, series = '', asTable }: HistoryView): string | undefined {
  const written = typeof range === 'string' ? range : `${range.from}-${range.to}`
  const parts = [written, series, asTable ? 'table' : '']
  const text = parts.join(',').replace(/,+$/, '')
  return text === START.range ? undefined : text
}

const rangeSeconds = (name: RangeName): number => NAMED.find(({ value }) => value === name)?.seconds ?? 86_400

/** The range that ends at this moment. */
export function rangeUntilNow(name: RangeName): TimeRange {
  const to = Math.ceil(serverNow() / 1000)
  return { from: to - rangeSeconds(name), to }
}

function readRange(text: string): HistoryView['range'] | undefined {
  const named = NAMED.find(({ value }) => value === text)
  if (named) return named.value
  const [, from, to] = /^(\d{1,12})-(\d{1,12})$/.exec(text) ?? []
  return from !== undefined && to !== undefined && Number(from) < Number(to)
    ? { from: Number(from), to: Number(to) }
    : undefined
}
