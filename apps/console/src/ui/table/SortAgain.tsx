import { Button } from '@mantine/core'
import type { KeptOrder } from './use-kept-order.ts'

interface SortAgainProps {
  order: Pick<KeptOrder<unknown>, 'changes' | 'sortAgain'>
}

/** In the header of a list that keeps its order while it is read: "3 changes, sort again". */
export function SortAgain({ order: { changes, sortAgain } }: SortAgainProps) {
  return (
    <span role="status" style={{ marginInlineStart: 'auto' }}>
      {changes > 0 && (
        <Button variant="light" size="compact-sm" onClick={sortAgain}>
          {changes} {changes === 1 ? 'change' : 'changes'}, sort again
        </Button>
      )}
    </span>
  )
}
