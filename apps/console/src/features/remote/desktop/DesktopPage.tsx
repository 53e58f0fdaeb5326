import { getAgent } from '@muster/contract/api/agents'
import { VncTarget } from '@muster/contract/desktop'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo } from 'react'
import { MessagePage } from '../../../app/shell/MessagePage.tsx'
import { query } from '../../../app/api/api.ts'
import { useMay, useMe } from '../../../app/api/queries.ts'
import { NoPermission, SkeletonRows } from '../../../ui/layout/States.tsx'
import type { z } from 'zod'
import { AgentPageError, isGone } from '../../agents/AgentError.tsx'
import { DesktopWindow } from './DesktopWindow.tsx'

const desktopPage = getRouteApi('/signed-in/gated/takecontrol/$agent_id')
const vncPage = getRouteApi('/signed-in/gated/webvnc/$agent_id/$port')

/** The desktop of one machine, in a separate window. */
export function DesktopPage() {
  const { agent_id } = desktopPage.useParams()
  return <ToolPage agentId={agent_id} tool="Take Control" />
}

/** VNC to a port of a machine or of a neighbour of it. */
export function VncPage() {
  const { agent_id, port } = vncPage.useParams()
  const { host = 'localhost' } = vncPage.useSearch()
  const target = useMemo(() => ({ host, port: /^\d+$/.test(port) ? Number(port) : Number.NaN }), [host, port])
  const { shape } = VncTarget
  if (!shape.port.safeParse(target.port).success)
    return <WrongAddress title="Invalid port">Use a port from 1 to 65535, not “{port}”.</WrongAddress>
  if (!shape.host.safeParse(host).success)
    return <WrongAddress title="Invalid host">Use a host name or an IPv4 address, not “{host}”.</WrongAddress>
  return <ToolPage agentId={agent_id} tool="VNC" target={target} />
}

/** No connection: later attempts could not succeed. */
function WrongAddress({ title, children }: { title: string; children: ReactNode }) {
  return (
    <MessagePage title={title}>
      <p role="alert">{children}</p>
      <Button variant="default" component={Link} to="/">
        Go to the dashboard
      </Button>
    </MessagePage>
  )
}

function ToolPage({
  agentId,
  tool,
  target,
}: {
  agentId: string
  tool: string
  target?: z.infer<typeof VncTarget>
}) {
  const { data: agent, error, refetch } = useQuery(query(getAgent, { params: { agent_id: agentId } }))
  const me = useMe()
  const may = useMay('can_use_mesh')
  useEffect(() => {
    if (agent === undefined) return
    document.title = `${agent.hostname} - ${agent.client_name} - ${agent.site_name} | ${tool}`
  }, [agent, tool])
  if (error !== null && (agent === undefined || isGone(error))) {
    return (
      <main>
        <AgentPageError error={error} onRetry={() => void refetch()} />
      </main>
    )
  }
  if (agent === undefined || me === undefined) return <SkeletonRows rows={10} />
  if (!may) return <NoPermission message="Your role does not allow you to take control of machines." />
  return <DesktopWindow agent={agent} {...(target === undefined ? {} : { target })} />
}
