import { type AgentDetail, getAgent } from '@muster/contract/api/agents'
import { ApiError } from '@muster/contract/client'
import { type QueryKey, useQuery, type UseQueryOptions } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { Dialog, type DialogProps } from '../../ui/dialog/Dialog.tsx'
import { EmptyState, SkeletonRows } from '../../ui/layout/States.tsx'
import { query } from '../../app/api/api.ts'
import { AgentError, isGone } from './AgentError.tsx'

/** Props of dialogs about one item of a machine. */
export interface ItemDialogProps<Item> {
  title: string
  close: () => void
  size?: NonNullable<DialogProps['size']>
  /** Follows the server; absent, the item stays as it was when the dialog opened. */
  live?: boolean
  children: (item: Item, agent: AgentDetail) => ReactNode
}

interface AgentItemDialogProps<Item, Key extends QueryKey> extends ItemDialogProps<Item> {
  noun: string
  query: Pick<UseQueryOptions<Item, Error, Item, Key>, 'queryKey' | 'queryFn'> & { queryKey: Key }
}

/** A dialog about one item of a machine, a check or a task, with its loading and error states. */
export function AgentItemDialog<Item extends { agent_id: string }, Key extends QueryKey>({
  title,
  noun,
  query: options,
  close,
  size = 'lg',
  live = false,
  children,
}: AgentItemDialogProps<Item, Key>) {
  const answer = useQuery<Item, Error, Item, Key>(live ? options : { ...options, staleTime: 0 })
  const { data: item, error, refetch } = answer
  const [opened, setOpened] = useState<Item>()
  if (opened === undefined && item !== undefined && answer.isFetchedAfterMount) setOpened(item)
  const shown = live ? item : opened
  if (error !== null && (shown === undefined || (live && isMissing(error)))) {
    return isMissing(error) ? (
      <Dialog title={title} onClose={close} size={size}>
        <EmptyState message={`No such ${noun}. You may not have access to it.`} />
      </Dialog>
    ) : (
      <StateDialog title={title} size={size} onClose={close} error={error} onRetry={() => void refetch()} />
    )
  }
  if (shown === undefined) {
    return (
      <StateDialog title={title} size={size} onClose={close} error={null} onRetry={() => void refetch()} />
    )
  }
  return (
    <AgentDialog title={title} agentId={shown.agent_id} onClose={close} size={size}>
      {(agent) => children(shown, agent)}
    </AgentDialog>
  )
}

const isMissing = (error: Error) =>
  error instanceof ApiError && (error.status === 404 || error.status === 400)

interface AgentDialogProps {
  title: string
  agentId: string | undefined
  onClose: () => void
  size?: DialogProps['size']
  children: (agent: AgentDetail) => ReactNode
}

/** A dialog about one machine, with its loading and error states. */
export function AgentDialog({ title, agentId = '', onClose, size, children }: AgentDialogProps) {
  const { data: agent, error, refetch } = useQuery(query(getAgent, { params: { agent_id: agentId } }))
  if (agent !== undefined && !isGone(error)) return children(agent)
  return (
    <Dialog title={title} onClose={onClose} {...(size === undefined ? {} : { size })}>
      {error === null ? (
        <SkeletonRows rows={4} />
      ) : (
        <AgentError error={error} onRetry={() => void refetch()} />
      )}
    </Dialog>
  )
}
