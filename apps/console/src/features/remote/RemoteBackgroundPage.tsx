import { Tabs } from '@mantine/core'
import { getAgent } from '@muster/contract/api/agents'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useEffect, useRef } from 'react'
import { query } from '../../app/api/api.ts'
import type { RemoteSearch, RemoteTool } from '../../app/search.ts'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { useMay, useMe } from '../../app/api/queries.ts'
import { useSelectedInView } from '../../ui/layout/use-selected-in-view.ts'
import { NoPermission, SkeletonRows } from '../../ui/layout/States.tsx'
import { AgentPageError, isGone } from '../agents/AgentError.tsx'
import { MachineStatus } from '../agents/machine-cells.tsx'
import classes from './RemoteBackgroundPage.module.css'

const SessionsPane = lazyPart(() => import('./SessionsPane.tsx').then((file) => file.SessionsPane))
const TerminalPane = lazyPart(() => import('./TerminalPane.tsx').then((file) => file.TerminalPane))

const ProcessesPane = lazyPart(() =>
  import('./processes/ProcessesPane.tsx').then((file) => file.ProcessesPane),
)
const FilesPane = lazyPart(() => import('./files/FilesPane.tsx').then((file) => file.FilesPane))
const ServicesPane = lazyPart(() => import('./services/ServicesPane.tsx').then((file) => file.ServicesPane))
const SchedulerPane = lazyPart(() =>
  import('./scheduler/SchedulerPane.tsx').then((file) => file.SchedulerPane),
)

const RegistryPane = lazyPart(() => import('./registry/RegistryPane.tsx').then((file) => file.RegistryPane))
const LogsPane = lazyPart(() => import('./logs/LogsPane.tsx').then((file) => file.LogsPane))

const page = getRouteApi('/signed-in/gated/remotebackground/$agent_id')

/** Tools of one machine in a separate window, while its user keeps working. */
export function RemoteBackgroundPage() {
  const { agent_id } = page.useParams()
  const search = page.useSearch()
  const { tool: wanted = 'terminal' } = search
  const navigate = page.useNavigate()
  const { data: agent, error, refetch } = useQuery(query(getAgent, { params: { agent_id } }))
  const me = useMe()
  const mayTerminal = useMay('can_use_terminal')
  const mayView = useMay('can_view_recordings')
  const isWindows = agent?.plat === 'windows'
  const hasScheduler = agent?.plat !== 'darwin'
  const isHidden =
    (wanted === 'sessions' && !mayView) ||
    (wanted === 'registry' && agent !== undefined && !isWindows) ||
    (wanted === 'scheduler' && !hasScheduler)
  const tool = isHidden ? 'terminal' : wanted
  const tabs = useSelectedInView(tool)
  /** Last location of each tool. */
  const left = useRef<Partial<Record<RemoteTool, RemoteSearch>>>({})
  const change = (next: RemoteTool) => {
    left.current[tool] = search
    void navigate({ search: { ...left.current[next], tool: next }, replace: true })
  }
  useEffect(() => {
    if (agent === undefined) return
    document.title = `${agent.hostname} - ${agent.client_name} - ${agent.site_name} | Remote Background`
  }, [agent])
  if (error !== null && (agent === undefined || isGone(error))) {
    return (
      <main>
        <AgentPageError error={error} onRetry={() => void refetch()} />
      </main>
    )
  }
  if (agent === undefined || me === undefined) return <SkeletonRows rows={10} />
  return (
    <main className={classes.page}>
      <header className={classes.head}>
        <h1 className={classes.name}>{agent.hostname}</h1>
        <MachineStatus row={agent} />
        <span className="dim small">
          {agent.client_name} / {agent.site_name}
        </span>
      </header>
      <Tabs
        value={tool}
        // `as`: the values of the tabs below.
        onChange={(next) => change(next as RemoteTool)}
        keepMounted={false}
        className={classes.tabs}
      >
        <Tabs.List ref={tabs} aria-label="Tools" className={classes.list}>
          <Tabs.Tab value="terminal">Terminal</Tabs.Tab>
          <Tabs.Tab value="files">Files</Tabs.Tab>
          <Tabs.Tab value="processes">Processes</Tabs.Tab>
          <Tabs.Tab value="services">Services</Tabs.Tab>
          {hasScheduler && <Tabs.Tab value="scheduler">Scheduler</Tabs.Tab>}
          <Tabs.Tab value="logs">Logs</Tabs.Tab>
          {isWindows && <Tabs.Tab value="registry">Registry</Tabs.Tab>}
          {mayView && <Tabs.Tab value="sessions">Sessions</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="terminal" className="pane">
          {mayTerminal ? (
            <Suspense fallback={<SkeletonRows rows={10} />}>
              <TerminalPane agentId={agent_id} hostname={agent.hostname} />
            </Suspense>
          ) : (
            <NoPermission message="Your role does not allow you to use the terminal." />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="files" className="pane">
          <Suspense fallback={<SkeletonRows rows={10} />}>
            <FilesPane agent={agent} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="processes" className="pane">
          <Suspense fallback={<SkeletonRows rows={10} />}>
            <ProcessesPane agent={agent} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="services" className="pane">
          <Suspense fallback={<SkeletonRows rows={10} />}>
            <ServicesPane agent={agent} />
          </Suspense>
        </Tabs.Panel>
        {hasScheduler && (
          <Tabs.Panel value="scheduler" className="pane">
            <Suspense fallback={<SkeletonRows rows={10} />}>
              <SchedulerPane agent={agent} />
            </Suspense>
          </Tabs.Panel>
        )}
        <Tabs.Panel value="logs" className="pane">
          <Suspense fallback={<SkeletonRows rows={10} />}>
            <LogsPane agent={agent} />
          </Suspense>
        </Tabs.Panel>
        {isWindows && (
          <Tabs.Panel value="registry" className="pane">
            <Suspense fallback={<SkeletonRows rows={10} />}>
              <RegistryPane agent={agent} />
            </Suspense>
          </Tabs.Panel>
        )}
        {mayView && (
          <Tabs.Panel value="sessions" className="pane">
            <Suspense fallback={<SkeletonRows rows={10} />}>
              <SessionsPane agent={agent} />
            </Suspense>
          </Tabs.Panel>
        )}
      </Tabs>
    </main>
  )
}
