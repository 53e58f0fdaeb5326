import '@mantine/core/styles/Pill.css'
import { Button, Group, Pill, Popover, Select, Stack } from '@mantine/core'
import { IconFilter } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import classes from '../layout/Filter.module.css'

/** For selects inside a filter: they open inside the popover, or choosing in them would close it. */
export const INSIDE = { withinPortal: false, shadow: 'md' }

/** A button with a form below it; `children` are mounted each time it opens. */
export function FilterMenu({ children }: { children: (close: () => void) => ReactNode }) {
  const [opened, setOpened] = useState(false)
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" trapFocus returnFocus zIndex={250}>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconFilter size={16} stroke={1.75} aria-hidden />}
          onClick={() => setOpened(!opened)}
        >
          Filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown>{children(() => setOpened(false))}</Popover.Dropdown>
    </Popover>
  )
}

interface FilterFormProps {
  onApply: () => void
  onClear: () => void
  children: ReactNode
}

/** The fields of a filter; they apply together. */
export function FilterForm({ onApply, onClear, children }: FilterFormProps) {
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        onApply()
      }}
    >
      <Stack gap="md">
        {children}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClear}>
            Clear
          </Button>
          <Button type="submit">Apply</Button>
        </Group>
      </Stack>
    </form>
  )
}

interface FilterPillsProps<Change> {
  /** Filters without words are not shown; `clear` removes the filter. */
  filters: readonly { label: string; words: readonly string[]; clear: Change }[]
  onChange: (change: Change) => void
}

/** The active filters of a list; each can be removed. */
export function FilterPills<Change>({ filters, onChange }: FilterPillsProps<Change>) {
  return filters
    .filter(({ words }) => words.length > 0)
    .map(({ label, words, clear }) => (
      <Pill
        key={label}
        className={classes.pill ?? ''}
        withRemoveButton
        onRemove={() => onChange(clear)}
        removeButtonProps={{ 'aria-label': `Remove the filter ${label}`, tabIndex: 0, 'aria-hidden': false }}
      >
        {label}: {words.join(', ')}
      </Pill>
    ))
}

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
