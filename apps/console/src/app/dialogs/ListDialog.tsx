import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Dialog, type DialogProps } from '../../ui/dialog/Dialog.tsx'
import { ListRows } from '../../ui/table/ListRows.tsx'
import { SearchField } from '../../ui/inputs/SearchField.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { LoadingState } from './GuardedDialog.tsx'
import classes from './ListDialog.module.css'

/** From this number on there is a search field. */
const FEW = 7

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
  /** The text that a search finds the row by. */
  searchText: (row: Row) => string
  children: (row: Row, index: number) => ReactNode
}

/**
 * A dialog with a list of items that can be created, edited and deleted. The focus starts on what is used next: the
 * search field, else the first row, where it prefers "Edit", else the button that creates an item.
 */
export function ListDialog<Row>(props: ListDialogProps<Row>) {
  const { title, size, onClose, rows, empty, create, others, note, frame, searchText, children } = props
  const { data, error, refetch } = rows
  const [search, setSearch] = useState('')
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const found = data?.filter((row) => {
    const text = searchText(row).toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const isLoading = data === undefined
  const body = useFirstFocus(isLoading)
  const list =
    data === undefined || found === undefined ? (
      <LoadingState error={error} onRetry={() => void refetch()} rows={3} />
    ) : data.length === 0 ? (
      <EmptyState message={empty}>{create}</EmptyState>
    ) : (
      <>
        {note}
        {data.length >= FEW && (
          <SearchField
            label={`Search ${title.toLowerCase()}`}
            placeholder="Search"
            value={search}
            onSearch={setSearch}
            className={classes.search}
          />
        )}
        {found.length === 0 ? (
          <EmptyState message="No items match the search.">
            <Button variant="default" onClick={() => setSearch('')}>
              Clear search
            </Button>
          </EmptyState>
        ) : (
          <ListRows label={title}>
            {data.map((row, index) => (found.includes(row) ? children(row, index) : null))}
          </ListRows>
        )}
      </>
    )
  return (
    <Dialog
      title={title}
      {...(size === undefined ? {} : { size })}
      onClose={onClose}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          {others}
          {data !== undefined && data.length > 0 && create}
        </>
      }
    >
      <div ref={body} className={classes.body} tabIndex={-1} data-autofocus={isLoading || undefined}>
        {frame === undefined ? list : frame(list)}
      </div>
    </Dialog>
  )
}

/** Focuses the first control that is not a tab, once there are rows; until then the dialog's body has the focus. */
function useFirstFocus(isLoading: boolean) {
  const body = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current } = body
    if (isLoading || current === null) return
    const first =
      current.querySelector<HTMLElement>('input:not(:disabled), [data-edit]') ??
      current.querySelector<HTMLElement>('li :is(button, a):not(:disabled)') ??
      createButtonOf(current)
    if (first === null) return
    // The dialog moves the focus to this mark after it has opened.
    first.setAttribute('data-autofocus', 'true')
    if (document.activeElement === current) first.focus({ preventScroll: true })
  }, [isLoading])
  return body
}

/** In the middle of the empty state. */
const createButtonOf = (body: HTMLElement) =>
  body.querySelector<HTMLElement>('button:not([role=tab], :disabled)') ?? body

/** "New template": the button of such a dialog. */
export function NewButton({ children, onClick }: { children: string; onClick: () => void }) {
  return (
    <Button leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />} onClick={onClick}>
      {children}
    </Button>
  )
}
