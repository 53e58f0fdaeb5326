import { Alert, Button, type AlertProps } from '@mantine/core'
import '@mantine/core/styles/Alert.css'
import type { Permission } from '@muster/contract/permissions'
import { type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode, useState } from 'react'
import { Dialog, type DialogProps } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { GuardedDialog, StateDialog } from './GuardedDialog.tsx'

interface RecordDialogProps<Item> {
  /** The list that holds the record. */
  list: UseQueryOptions<Item[]>
  /** From the address: `new`, or the id of a record. */
  item: string | undefined
  /** "Alert channel": the title until the name of the record is known. */
  title: string
  needs: Permission
  size?: DialogProps['size']
  /** "This channel does not exist any more." */
  gone: string
  /** "Show all channels": the way back. */
  back: string
  onClose: () => void
  /** The form with the values at the time of opening, or of a new record; `onReload` restarts it with the values saved since. */
  children: (record: Item | undefined, onReload: (() => void) | undefined) => ReactNode
}

/** A record of a list in a dialog with an address of its own: a new one, or one to change. */
export function RecordDialog<Item extends { id: number; modified: string }>(props: RecordDialogProps<Item>) {
  const { item, title, needs, size, onClose, children } = props
  return (
    <GuardedDialog title={title} needs={needs} {...(size === undefined ? {} : { size })} onClose={onClose}>
      {item === 'new' ? children(undefined, undefined) : <StoredRecord {...props} id={Number(item)} />}
    </GuardedDialog>
  )
}

function StoredRecord<Item extends { id: number; modified: string }>(
  props: RecordDialogProps<Item> & { id: number },
) {
  const { list, id, title, gone, back, onClose, children } = props
  const size = props.size === undefined ? {} : { size: props.size }
  // No cached value: the form must start with the current one.
  const { data, error, isFetchedAfterMount, refetch } = useQuery({ ...list, staleTime: 0 })
  const [opened, setOpened] = useState<Item>()
  const item = data?.find((one) => one.id === id)
  if (opened === undefined && item !== undefined && isFetchedAfterMount) setOpened(item)
  if (opened !== undefined) {
    const isOld = item !== undefined && item.modified !== opened.modified
    return (
      <Fragment key={opened.modified}>{children(opened, isOld ? () => setOpened(item) : undefined)}</Fragment>
    )
  }
  if (data !== undefined && isFetchedAfterMount && item === undefined) {
    return (
      <Dialog title={title} {...size} onClose={onClose}>
        <EmptyState message={gone}>
          <Button variant="default" onClick={onClose} data-autofocus>
            {back}
          </Button>
        </EmptyState>
      </Dialog>
    )
  }
  return (
    <StateDialog title={title} {...size} onClose={onClose} error={error} onRetry={() => void refetch()} />
  )
}

interface ChangedMeanwhileProps {
  /** "this role". */
  what: string
  onReload: (() => void) | undefined
  mb?: AlertProps['mb']
}

/** Shown in a form whose item was saved by another user since it was opened. */
export function ChangedMeanwhile({ what, onReload, mb }: ChangedMeanwhileProps) {
  if (onReload === undefined) return null
  return (
    <Alert color="warning" title={`Another user has changed ${what}`} {...(mb === undefined ? {} : { mb })}>
      <Button variant="default" mt="sm" onClick={onReload}>
        Reload
      </Button>
    </Alert>
  )
}
