import { ActionIcon, Button, Checkbox, Group, ScrollArea, TextInput } from '@mantine/core'
import type { MachineColumnChoice } from '@muster/contract/machine-columns'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import classes from './ColumnMenu.module.css'
import { allColumns } from './machine-columns.tsx'
import { VALUE_COLUMNS } from './value-columns.tsx'
import { fieldsQuery } from './use-machine-columns.ts'

interface ColumnMenuProps {
  choices: readonly MachineColumnChoice[]
  /** Empty = the default columns. */
  onChange: (choices: MachineColumnChoice[]) => void
}

/** Chooses the columns of the table and their order: the shown ones first, then the others. Lines stay while it is open. */
export function ColumnMenu({ choices, onChange }: ColumnMenuProps) {
  const [find, setFind] = useState('')
  const [order, setOrder] = useState<string[]>()
  const { data: fields = [] } = useQuery(fieldsQuery)
  const all = allColumns(fields, VALUE_COLUMNS)
  const known = order ?? choices.map(({ id }) => id)
  const ids = [...known, ...all.map(({ id }) => id).filter((id) => !known.includes(id))]
  const isShown = (id: string) => choices.some((choice) => choice.id === id)
  const apply = (next: string[], shown: (id: string) => boolean) => {
    setOrder(next)
    const chosen = new Map(choices.map((choice) => [choice.id, choice]))
    onChange(next.filter(shown).map((id) => chosen.get(id) ?? { id, width: null }))
  }
  const move = (id: string, by: 1 | -1) => {
    const shown = choices.map((choice) => choice.id)
    const neighbour = shown[shown.indexOf(id) + by]
    if (neighbour === undefined) return
    const next = ids.filter((other) => other !== id)
    next.splice(next.indexOf(neighbour) + (by === 1 ? 1 : 0), 0, id)
    apply(next, isShown)
  }
  const lines = ids.flatMap((id) => all.filter((column) => column.id === id))
  return (
    <div className={classes.menu}>
      <TextInput
        size="xs"
        aria-label="Find a column"
        placeholder="Find a column"
        data-autofocus
        value={find}
        onChange={(event) => setFind(event.currentTarget.value)}
      />
      <ScrollArea.Autosize mah={360} type="auto">
        <ul className={classes.list} aria-label="Columns">
          {lines
            .filter(({ title }) => title.toLowerCase().includes(find.trim().toLowerCase()))
            .map(({ id, title }) => (
              <li key={id} className={classes.line}>
                <Checkbox
                  size="xs"
                  label={title}
                  checked={isShown(id)}
                  disabled={isShown(id) && choices.length === 1}
                  onChange={() => apply(ids, (other) => isShown(other) !== (other === id))}
                />
                {isShown(id) && (
                  <>
                    <ActionIcon
                      aria-label={`Move ${title} left`}
                      disabled={choices[0]?.id === id}
                      onClick={() => move(id, -1)}
                    >
                      <IconArrowUp size={16} stroke={1.75} />
                    </ActionIcon>
                    <ActionIcon
                      aria-label={`Move ${title} right`}
                      disabled={choices.at(-1)?.id === id}
                      onClick={() => move(id, 1)}
                    >
                      <IconArrowDown size={16} stroke={1.75} />
                    </ActionIcon>
                  </>
                )}
              </li>
            ))}
        </ul>
      </ScrollArea.Autosize>
      <Group justify="flex-end">
        <Button
          variant="default"
          onClick={() => {
            setOrder(undefined)
            onChange([])
          }}
        >
          Default columns
        </Button>
      </Group>
    </div>
  )
}
