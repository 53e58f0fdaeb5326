import { getAgent } from '@muster/contract/api/agents'
import { useQuery } from '@tanstack/react-query'
import { query } from '../../app/api.ts'
import { EmptyState } from '../../ui/States.tsx'
import { AgentActions } from '../agents/AgentActions.tsx'
import { AgentPanes } from '../agents/AgentPanes.tsx'
import classes from './LowerPane.module.css'
import { useDashboard } from './use-dashboard.ts'

/** What is known of the selected machine. */
export function LowerPane({ contentHeight }: { contentHeight: number }) {
  const agentId = useDashboard(({ agent }) => agent)
  if (agentId === undefined) {
    return (
      <section className={classes.none} aria-label="Selected machine">
        <EmptyState message="Select a machine to see its summary, history, notes and audit log." />
      </section>
    )
  }
  return (
    <AgentPanes agentId={agentId} contentHeight={contentHeight} actions={<PaneActions agentId={agentId} />} />
  )
}

function PaneActions({ agentId }: { agentId: string }) {
  const { data: agent } = useQuery(query(getAgent, { params: { agent_id: agentId } }))
  return <AgentActions agent={agent} />
}
