import type { AgentRow } from '@muster/contract/api/agents'
import type { SearchFlag } from '@muster/rules/search/search-tree'
import { useMemo } from 'react'
import classes from './MachineStrip.module.css'
import { PRESENCE_FLAGS, readFilter, writeFilter } from './search-flags.ts'

interface Count {
  flag: SearchFlag
  label: string
  tone: 'negative' | 'warning' | 'none'
  has: (row: AgentRow) => boolean
}

const COUNTS: readonly Count[] = [
  { flag: 'is:overdue', label: 'overdue', tone: 'negative', has: (row) => row.status === 'overdue' },
  {
    flag: 'is:checksfailing',
    label: 'failing',
    tone: 'negative',
    has: (row) => row.checks.has_failing_checks,
  },
  { flag: 'is:offline', label: 'offline', tone: 'warning', has: (row) => row.status === 'offline' },
  { flag: 'is:rebootneeded', label: 'reboot needed', tone: 'none', has: (row) => row.needs_reboot },
  { flag: 'is:maintenance', label: 'in maintenance', tone: 'none', has: (row) => row.maintenance_mode },
]

interface MachineStripProps {
  /** All machines of the tab and node; undefined until they are loaded. */
  rows: readonly AgentRow[] | undefined
  text: string
  onChange: (text: string) => void
}

/** Counts of machines that need attention; each filters the table. A count of zero is shown only while it filters. */
export function MachineStrip({ rows, text, onChange }: MachineStripProps) {
  const counts = useMemo(() => countAll(rows), [rows])
  if (counts === undefined) return null
  const { presence, conditions } = readFilter(text)
  const active = new Set([...conditions, ...(presence === undefined ? [] : [presence])])
  const shown = COUNTS.flatMap((count, index) => {
    const many = counts[index] ?? 0
    return many > 0 || active.has(count.flag) ? [{ ...count, many }] : []
  })
  if (shown.length === 0) return null
  return (
    <div className={classes.strip} role="group" aria-label="Machines that need attention">
      {shown.map(({ flag, label, tone, many }) => (
        <button
          key={flag}
          type="button"
          className={classes.count}
          data-tone={tone}
          aria-pressed={active.has(flag)}
          onClick={() => onChange(toggleFlag(text, flag))}
        >
          <b>{many.toLocaleString('en')}</b> {label}
        </button>
      ))}
    </div>
  )
}

/** One pass, on each change of a machine. */
function countAll(rows: readonly AgentRow[] | undefined): number[] | undefined {
  if (rows === undefined) return undefined
  const counts = COUNTS.map(() => 0)
  for (const row of rows)
    for (const [index, { has }] of COUNTS.entries()) if (has(row)) counts[index] = (counts[index] ?? 0) + 1
  return counts
}

/** The search with the term, or without it. Of the terms for the status only one can hold. */
function toggleFlag(text: string, flag: SearchFlag): string {
  const { presence, conditions } = readFilter(text)
  if (PRESENCE_FLAGS.some((known) => known.flag === flag))
    return writeFilter(text, { presence: presence === flag ? undefined : flag, conditions })
  const others = conditions.filter((known) => known !== flag)
  return writeFilter(text, {
    presence,
    conditions: conditions.includes(flag) ? others : [...conditions, flag],
  })
}
