import type { CheckOfPolicy, TaskOfPolicy } from '@muster/contract/policies/policy-items'
import { MachinesButton } from './MachinesButton.tsx'
import { StatusCounts } from './StatusCounts.tsx'

interface ItemStatusProps {
  kind: 'check' | 'task'
  name: string
  item: Pick<CheckOfPolicy | TaskOfPolicy, 'id' | 'counts'> | undefined
}

/** How a check or a task of a policy stands on its machines, as it is saved; a new one stands nowhere. */
export function ItemStatus({ kind, name, item }: ItemStatusProps) {
  if (item === undefined) return null
  return (
    <>
      <StatusCounts counts={item.counts} />
      <MachinesButton kind={kind} id={item.id} name={name} />
    </>
  )
}

/** The saved one of what a draft calls by its number within the policy. */
export function findSaved<Item extends { number: number }>(
  items: readonly Item[] | undefined,
  number: number | undefined,
): Item | undefined {
  return items?.find((item) => item.number === number)
}
