import { Select } from '@mantine/core'

interface RangeSelectProps {
  label: string
  /** The usual ranges, shortest first. */
  usual: readonly number[]
  /** 0 = everything. */
  days: number
  onDays: (days: number) => void
  className: string | undefined
}

/** How far back a list goes. The address may name a range outside the usual ones. */
export function RangeSelect({ label, usual, days, onDays, className }: RangeSelectProps) {
  const ranges = [...(days === 0 || usual.includes(days) ? [] : [days]), ...usual, 0]
  return (
    <Select
      size="xs"
      className={className ?? ''}
      aria-label={label}
      data={ranges.map((value) => ({ value: `${value}`, label: labelOf(value) }))}
      value={`${days}`}
      allowDeselect={false}
      onChange={(value) => value !== null && onDays(Number(value))}
    />
  )
}

function labelOf(days: number): string {
  if (days === 0) return 'All time'
  return days === 1 ? 'Last 24 hours' : `Last ${days} days`
}
