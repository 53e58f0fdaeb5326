import { Checkbox } from '@mantine/core'
import type { AgentRow } from '@muster/contract/api/agents'
import type { KeyboardEvent } from 'react'
import { EmptyState } from '../../ui/layout/States.tsx'
import { MachineStatus } from '../agents/machine-cells.tsx'
import classes from './SideBySideDialog.module.css'
import type { Choice } from './machine-choice.ts'
import { MOST_MACHINES } from './side-by-side.ts'

interface MachineChoiceProps {
  choice: Choice
  /** There is no machine at all. */
  isEmpty: boolean
  onChange: (chosen: readonly string[]) => void
}

/** Machines to be ticked: with the mouse, or with arrows and space. */
export function MachineChoice({ choice, isEmpty, onChange }: MachineChoiceProps) {
  const { shown, more, chosen, all } = choice
  if (isEmpty) return <EmptyState message="There are no machines here." />
  if (shown.length === 0) return <EmptyState message="No machine has all of these words." />
  const hasAll = all !== undefined && all.length === chosen.length
  const isFull = chosen.length >= MOST_MACHINES
  const tick = (id: string, on: boolean) => {
    const others = chosen.filter((one) => one !== id)
    onChange(on ? [...others, id] : others)
  }
  return (
    <div onKeyDown={walk}>
      {all !== undefined && (
        <Checkbox
          className={classes.all ?? ''}
          label="All that are connected"
          checked={hasAll}
          indeterminate={!hasAll && chosen.length > 0}
          onChange={() => onChange(hasAll ? [] : all)}
        />
      )}
      <ul className={classes.list} aria-label="Machines">
        {shown.map((row) => {
          const isChosen = chosen.includes(row.agent_id)
          return (
            <li key={row.agent_id} className={classes.row}>
              <Checkbox
                label={<MachineLabel row={row} />}
                checked={isChosen}
                disabled={!row.connected || (isFull && !isChosen)}
                onChange={(event) => tick(row.agent_id, event.currentTarget.checked)}
              />
              <MachineStatus row={row} />
            </li>
          )
        })}
      </ul>
      {more > 0 && <p className={classes.more}>and {more} more: search for them.</p>}
    </div>
  )
}

function MachineLabel({ row }: { row: AgentRow }) {
  return (
    <>
      <bdi className={classes.name}>{row.hostname}</bdi>{' '}
      <span className={classes.place}>
        {row.client_name}, {row.site_name}
      </span>
    </>
  )
}

function walk(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  const boxes = [...event.currentTarget.querySelectorAll<HTMLInputElement>('input:enabled')]
  const at = boxes.findIndex((box) => box === event.target)
  boxes[at + step]?.focus()
  event.preventDefault()
}
