import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Dialog, type DialogProps } from '../../ui/dialog/Dialog.tsx'
import { ListRows } from '../../ui/table/ListRows.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { LoadingState } from './GuardedDialog.tsx'

interface ListDialogProps<Row> {
  title: string
  size?: DialogProps['size']
  onClose: () => void
  rows: Pick<UseQueryResult<Row[]>, 'data' | 'error' | 'refetch'>
  /** Text of the empty state. */
  empty: string
  /** The button that creates an item, if allowed: in the middle of the empty state, else in the footer. */
  create: ReactNode
  /** More buttons in the footer. */
  others?: ReactNode
  /** Text above the rows. */
  note?: ReactNode
  /** Wraps the list, for example in tabs. */
  frame?: (list: ReactNode) => ReactNode
  children: (row: Row, index: number) => ReactNode
}

/** A dialog with a list of items that can be created, edited and deleted. */
export function ListDialog<Row>(props: ListDialogProps<Row>) {
  const { title, size, onClose, rows, empty, create, others, note, frame, children } = props
  const { data, error, refetch } = rows
  const list =
    data === undefined ? (
      <LoadingState error={error} onRetry={() => void refetch()} rows={3} />
    ) : data.length === 0 ? (
      <EmptyState message={empty}>{create}</EmptyState>
    ) : (
      <>
        {note}
        <ListRows label={title}>{data.map(children)}</ListRows>
      </>
    )
  return (
    <Dialog
      title={title}
      {...(size === undefined ? {} : { size })}
      onClose={onClose}
      footer={
        <>
          <Button variant="default" onClick={onClose} data-autofocus>
            Close
          </Button>
          {others}
          {data !== undefined && data.length > 0 && create}
        </>
      }
    >
      {frame === undefined ? list : frame(list)}
    </Dialog>
  )
}

/** "New template": the button of such a dialog. */
export function NewButton({ children, onClick }: { children: string; onClick: () => void }) {
  return (
    <Button leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />} onClick={onClick}>
      {children}
    </Button>
  )
}
