import { getAgent } from '@muster/contract/api/agents'
import { useQuery } from '@tanstack/react-query'
import { query } from '../../app/api/api.ts'
import { AgentActions } from '../agents/AgentActions.tsx'
import { isGone } from '../agents/AgentError.tsx'
import { AgentPanes } from '../agents/AgentPanes.tsx'

interface SelectedMachineProps {
  agentId: string
  contentHeight: number
}

/** The tabs and actions of the selected machine. */
export function SelectedMachine({ agentId, contentHeight }: SelectedMachineProps) {
  const { data: agent, error } = useQuery(query(getAgent, { params: { agent_id: agentId } }))
  return (
    <AgentPanes
      agentId={agentId}
      contentHeight={contentHeight}
      actions={<AgentActions agent={isGone(error) ? undefined : agent} />}
    />
  )
}
