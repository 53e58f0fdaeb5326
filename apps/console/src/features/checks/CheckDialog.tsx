import type { AgentDetail } from '@muster/contract/api/agents'
import { type Check, getCheck } from '@muster/contract/api/checks'
import { ApiError } from '@muster/contract/client'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { StateDialog } from '../../app/GuardedDialog.tsx'
import { query } from '../../app/api.ts'
import { Dialog, type DialogProps } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { AgentDialog } from '../agents/AgentDialog.tsx'

interface CheckDialogProps {
  title: string
  item: string
  close: () => void
  size?: NonNullable<DialogProps['size']>
  /** What is open follows the server; without it, it stays as it was when it was opened. */
  live?: boolean
  children: (check: Check, agent: AgentDetail) => ReactNode
}

/** A dialog about one check and its machine: until both are there, and where they cannot be, the dialog says so. */
export function CheckDialog({ title, item, close, size = 'lg', live = false, children }: CheckDialogProps) {
  const options = query(getCheck, { params: { id: Number(item) } })
  const answer = useQuery(live ? options : { ...options, staleTime: 0 })
  const { data: check, error, refetch } = answer
  const [opened, setOpened] = useState<Check>()
  if (opened === undefined && check !== undefined && answer.isFetchedAfterMount) setOpened(check)
  const shown = live ? check : opened
  if (error !== null && (shown === undefined || (live && isMissing(error)))) {
    return isMissing(error) ? (
      <Dialog title={title} onClose={close} size={size}>
        <EmptyState message="This check is not there any more, or you may not see it." />
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
