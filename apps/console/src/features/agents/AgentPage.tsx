import { useMediaQuery } from '@mantine/hooks'
import { type AgentDetail, getAgent } from '@muster/contract/api/agents'
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { query } from '../../app/api/api.ts'
import { usePageTitle } from '../../app/shell/page-title.ts'
import { SkeletonRows } from '../../ui/layout/States.tsx'
import { AgentActions } from './AgentActions.tsx'
import classes from './AgentPage.module.css'
import { AgentPageError, isGone } from './AgentError.tsx'
import { AgentPanes } from './AgentPanes.tsx'
import { MachineHead } from './MachineHead.tsx'
import { usePane } from './use-pane.ts'

const page = getRouteApi('/signed-in/gated/frame/agents/$agent_id')

/** One machine on its own page. */
export function AgentPage() {
  const { agent_id } = page.useParams()
  const { pane } = usePane()
  const isPhone = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const hasBar = isPhone && pane === 'summary'
  const { data: agent, error, refetch } = useQuery(query(getAgent, { params: { agent_id } }))
  usePageTitle(agent?.hostname)
  if (error !== null && (agent === undefined || isGone(error))) {
    return <AgentPageError error={error} onRetry={() => void refetch()} />
  }
  if (agent === undefined) return <SkeletonRows rows={10} />
  return (
    <div className="pane">
      <header className={classes.head}>
        <div className={classes.line}>
          <MachineHead agent={agent} level={1} />
          {!hasBar && (
            <div className={classes.actions}>
              <AgentActions agent={agent} onAgentPage />
            </div>
          )}
        </div>
        <AgentLocation agent={agent} />
      </header>
      <AgentPanes agentId={agent_id} />
      {hasBar && (
        <div role="group" aria-label="Actions" className={classes.bar}>
          <AgentActions agent={agent} onAgentPage place="bar" />
        </div>
      )}
    </div>
  )
}

/** The machine's location in the tree; each part is a link. */
function AgentLocation({ agent }: { agent: AgentDetail }) {
  return (
    <nav aria-label="Location" className={classes.place}>
      <Link to="/">All Clients</Link>
      <span aria-hidden>/</span>
      <Link to="/" search={{ node: `Client|${agent.client_id}`, agent: agent.agent_id }}>
        {agent.client_name}
      </Link>
      <span aria-hidden>/</span>
      <Link to="/" search={{ node: `Site|${agent.site_id}`, agent: agent.agent_id }}>
        {agent.site_name}
      </Link>
    </nav>
  )
}
