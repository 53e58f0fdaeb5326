import type { CheckOfPolicy, TaskOfPolicy } from '@muster/contract/policies/policy-items'
import { MachinesButton } from './MachinesButton.tsx'
import { StatusCounts } from './StatusCounts.tsx'

interface ItemStatusProps {
  kind: 'check' | 'task'
  name: string
  item: Pick<CheckOfPolicy | TaskOfPolicy, 'id' | 'counts'> | undefined
}

/** The status of a saved check or task of a policy on its machines; new ones have none. */
export function ItemStatus({ kind, name, item }: ItemStatusProps) {
  if (item === undefined) return null
  return (
    <>
      <StatusCounts counts={item.counts} />
      <MachinesButton kind={kind} id={item.id} name={name} />
    </>
  )
}

/** The saved item of a draft's number. */
export function findSaved<Item extends { number: number }>(
  items: readonly Item[] | undefined,
  number: number | undefined,
): Item | undefined {
  return items?.find((item) => item.number === number)
}
