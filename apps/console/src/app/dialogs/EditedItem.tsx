import { Alert, Button, type AlertProps } from '@mantine/core'
import '@mantine/core/styles/Alert.css'
import { type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode, useState } from 'react'
import { Dialog, type DialogProps } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { StateDialog } from './GuardedDialog.tsx'

interface EditedItemProps<Item> {
  /** The list that contains the item. */
  list: UseQueryOptions<Item[]>
  id: number
  /** "Alert channel": the title until the name is known. */
  title: string
  size?: DialogProps['size']
  /** "This channel does not exist any more." */
  gone: string
  /** "Show all channels": the way back. */
  back: string
  onClose: () => void
  /** The form with the values at the time of opening; `onReload` restarts it with the values saved since. */
  children: (item: Item, onReload: (() => void) | undefined) => ReactNode
}

/** One item of a list that its address opens for editing. */
export function EditedItem<Item extends { id: number; modified: string }>(props: EditedItemProps<Item>) {
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
