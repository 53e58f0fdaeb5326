import { type AgentDetail, getAgent } from '@muster/contract/api/agents'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { query } from '../../app/api/api.ts'
import { Dialog, type DialogProps } from '../../ui/dialog/Dialog.tsx'
import { SkeletonRows } from '../../ui/layout/States.tsx'
import { AgentError, isGone } from './AgentError.tsx'

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
