import { Tooltip } from '@mantine/core'
import { formatRelativeTime } from '@muster/rules/text/units'
import { use } from 'react'
import { formatDate, formatInZone, useDateFormat } from './date-format.ts'
import { DateFormat } from './date-format-context.ts'
import { useNow } from './use-now.ts'

const TICK_MS = 10_000

interface TimeProps {
  /** ISO text or unix seconds; null shows nothing. */
  instant: string | number | null | undefined
  /** "3 minutes ago", updated as time passes. */
  relative?: boolean
  /** IANA zone of the machine: adds its local time to the tooltip. */
  machineZone?: string | null | undefined
}

/** A time in the user's format, with the exact instant on hover. */
export function Time({ instant, relative = false, machineZone }: TimeProps) {
  const format = useDateFormat()
  const nowMs = useNow(relative ? TICK_MS : undefined)
  if (instant === null || instant === undefined) return null
  const iso = toIso(instant)
  if (iso === undefined) return null
  return (
    <Tooltip label={<TimeDetails iso={iso} machineZone={machineZone} />} multiline>
      <time dateTime={iso}>{relative ? formatRelativeTime(instant, nowMs) : format(iso)}</time>
    </Tooltip>
  )
}

function TimeDetails({ iso, machineZone }: { iso: string; machineZone: string | null | undefined }) {
  const format = use(DateFormat)
  const own = machineZone ? formatInZone(iso, format, machineZone) : undefined
  return (
    <>
      {formatDate(iso, 'dddd, D MMMM YYYY, HH:mm:ss Z')}
      <br />
      {iso}
      {own !== undefined && (
        <>
          <br />
          {`${own} on the machine (${machineZone})`}
        </>
      )}
    </>
  )
}

function toIso(instant: string | number): string | undefined {
  const date = new Date(typeof instant === 'number' && instant < 100_000_000_000 ? instant * 1000 : instant)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}
