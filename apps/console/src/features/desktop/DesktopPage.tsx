import { Button } from '@mantine/core'
import { getAgent } from '@muster/contract/api/agents'
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { useEffect } from 'react'
import { query } from '../../app/api.ts'
import { useMay, useMe } from '../../app/queries.ts'
import { NoPermission, SkeletonRows } from '../../ui/States.tsx'
import { AgentError, isGone } from '../agents/AgentError.tsx'
import { DesktopWindow } from './DesktopWindow.tsx'

const page = getRouteApi('/signed-in/gated/takecontrol/$agent_id')

/** The desktop of one machine, in a window of its own. */
export function DesktopPage() {
  const { agent_id } = page.useParams()
  const { data: agent, error, refetch } = useQuery(query(getAgent, { params: { agent_id } }))
  const me = useMe()
  const may = useMay('can_use_mesh')
  useEffect(() => {
    if (agent === undefined) return
    document.title = `${agent.hostname} - ${agent.client_name} - ${agent.site_name} | Take Control`
  }, [agent])
  if (error !== null && (agent === undefined || isGone(error))) {
    return (
      <main>
        <AgentError error={error} onRetry={() => void refetch()}>
          <Button variant="default" component={Link} to="/">
            Go to the dashboard
          </Button>
        </AgentError>
      </main>
    )
  }
  if (agent === undefined || me === undefined) return <SkeletonRows rows={10} />
  if (!may) return <NoPermission message="Your role does not allow to take control of machines." />
  return <DesktopWindow agent={agent} />
}
