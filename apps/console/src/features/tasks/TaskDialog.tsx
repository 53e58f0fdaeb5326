import type { AgentDetail } from '@muster/contract/api/agents'
import { getTask, type Task } from '@muster/contract/api/tasks'
import { ApiError } from '@muster/contract/client'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { StateDialog } from '../../app/GuardedDialog.tsx'
import { query } from '../../app/api.ts'
import { Dialog, type DialogProps } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { AgentDialog } from '../agents/AgentDialog.tsx'

interface TaskDialogProps {
  title: string
  item: string
  close: () => void
  size?: NonNullable<DialogProps['size']>
  /** What is open follows the server; without it, it stays as it was when it was opened. */
  live?: boolean
  children: (task: Task, agent: AgentDetail) => ReactNode
}

/** A dialog about one task and its machine: until both are there, and where they cannot be, the dialog says so. */
export function TaskDialog({ title, item, close, size = 'lg', live = false, children }: TaskDialogProps) {
  const options = query(getTask, { params: { id: Number(item) } })
  const answer = useQuery(live ? options : { ...options, staleTime: 0 })
  const { data: task, error, refetch } = answer
  const [opened, setOpened] = useState<Task>()
  if (opened === undefined && task !== undefined && answer.isFetchedAfterMount) setOpened(task)
  const shown = live ? task : opened
  if (error !== null && (shown === undefined || (live && isMissing(error)))) {
    return isMissing(error) ? (
      <Dialog title={title} onClose={close} size={size}>
        <EmptyState message="This task is not there any more, or you may not see it." />
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
