import { Button, Popover } from '@mantine/core'
import { IconFilter } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import classes from './MachineFilter.module.css'
import { readFilter, writeFilter } from './search-flags.ts'

const FilterForm = lazyPart(() => import('./FilterForm.tsx').then((file) => file.FilterForm))

interface MachineFilterProps {
  text: string
  onChange: (text: string) => void
}

/** Sets the `is:` words of the search without typing them. */
export function MachineFilter({ text, onChange }: MachineFilterProps) {
  const [opened, setOpened] = useState(false)
  const { presence, conditions } = readFilter(text)
  const set = conditions.length + (presence === undefined ? 0 : 1)
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconFilter size={16} stroke={1.75} aria-hidden />}
          data-set={set > 0 || undefined}
          className={classes.button}
          onClick={() => setOpened(!opened)}
        >
          Filter{set > 0 ? ` · ${set}` : ''}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Filter machines">
        <Suspense fallback={null}>
          <FilterForm
            start={{ presence, conditions }}
            onApply={(choice) => {
              onChange(writeFilter(text, choice))
              setOpened(false)
            }}
          />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  )
}
