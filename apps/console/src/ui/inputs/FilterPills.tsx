import { Pill } from '@mantine/core'
import '@mantine/core/styles/Pill.css'
import classes from '../layout/Filter.module.css'

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
