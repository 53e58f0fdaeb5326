import { Button, Group, Popover, Stack } from '@mantine/core'
import { IconFilter } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import classes from '../layout/Filter.module.css'

/** For selects inside a filter: they open inside the popover, or choosing in them would close it. */
export const INSIDE = { withinPortal: false, shadow: 'md' }

/** A button with a form below it; `children` are mounted anew each time it opens. */
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
