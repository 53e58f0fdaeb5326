import { Tabs } from '@mantine/core'
import { type AgentDetail, getAgent } from '@muster/contract/api/agents'
import { useMergedRef } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense, useEffect } from 'react'
import { agentPlatform } from '../../app/session/store.ts'
import { query } from '../../app/api/api.ts'
import { ReadOnlyMachineProvider, useServerMachineReason } from '../../app/api/queries.ts'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { type Pane, PANES } from '../../app/search.ts'
import { SkeletonRows } from '../../ui/layout/States.tsx'
import { AgentError, isGone } from './AgentError.tsx'
import classes from './AgentPanes.module.css'
import { MoreTabs, useTabsOut } from './MoreTabs.tsx'
import { useSelectedInView } from '../../ui/layout/use-selected-in-view.ts'
import { TabCount } from './TabCount.tsx'
import { usePane } from './use-pane.ts'

const MachineSummary = lazyPart(() =>
  import('./summary/MachineSummary.tsx').then((file) => file.MachineSummary),
)
const MetricsPane = lazyPart(() => import('../metrics/MetricsPane.tsx').then((file) => file.MetricsPane))
const ProcessesPane = lazyPart(() =>
  import('../remote/processes/ProcessesPane.tsx').then((file) => file.ProcessesPane),
)
const ServicesPane = lazyPart(() =>
  import('../remote/services/ServicesPane.tsx').then((file) => file.ServicesPane),
)
const SchedulerPane = lazyPart(() =>
  import('../remote/scheduler/SchedulerPane.tsx').then((file) => file.SchedulerPane),
)
const SoftwarePane = lazyPart(() => import('../software/SoftwarePane.tsx').then((file) => file.SoftwarePane))
const PatchesPane = lazyPart(() => import('../patches/PatchesPane.tsx').then((file) => file.PatchesPane))
const ChecksPane = lazyPart(() => import('../checks/ChecksPane.tsx').then((file) => file.ChecksPane))
const MachinePolicies = lazyPart(() =>
  import('../policies/MachinePolicies.tsx').then((file) => file.MachinePolicies),
)
const TasksPane = lazyPart(() => import('../tasks/TasksPane.tsx').then((file) => file.TasksPane))
const AlertsPane = lazyPart(() => import('../alerts/AlertList.tsx').then((file) => file.AlertsPane))
const HistoryPane = lazyPart(() => import('../runs/HistoryPane.tsx').then((file) => file.HistoryPane))
const NotesTab = lazyPart(() => import('../notes/NotesTab.tsx').then((file) => file.NotesTab))
const AuditTab = lazyPart(() => import('../audit/AuditLog.tsx').then((file) => file.AuditTab))

const LABELS: Record<Pane, string> = {
  summary: 'Summary',
  metrics: 'Metrics',
  processes: 'Processes',
  services: 'Services',
  scheduler: 'Scheduler',
  patches: 'Patches',
  software: 'Software',
  checks: 'Checks',
  policies: 'Policies',
  tasks: 'Tasks',
  alerts: 'Alerts',
  history: 'History',
  notes: 'Notes',
  audit: 'Audit',
}

interface AgentPanesProps {
  agentId: string
  /** Height of a tab's content; absent = the rest of the page. */
  contentHeight?: number
  /** At the right of the tabs. */
  actions?: ReactNode
}

/** The tabs of a machine. Only the visible one is drawn and requests data. */
export function AgentPanes({ agentId, contentHeight, actions }: AgentPanesProps) {
  const { pane, setPane } = usePane()
  const { data: agent } = useQuery(query(getAgent, { params: { agent_id: agentId } }))
  const plat = agent?.plat
  // launchd has no tasks beside its services.
  const panes = PANES.filter((name) => name !== 'scheduler' || plat !== 'darwin')
  const { ref: watchOut, out } = useTabsOut(panes)
  const list = useMergedRef(useSelectedInView(pane), watchOut)
  useEffect(() => {
    if (plat !== undefined) agentPlatform.set(plat)
  }, [plat])
  return (
    <Tabs
      value={pane}
      onChange={(value) => {
        const next = PANES.find((known) => known === value)
        if (next) setPane(next)
      }}
      keepMounted={false}
      className={classes.panes}
    >
      <div className={classes.strip}>
        <Tabs.List ref={list} aria-label="Machine" className={classes.list}>
          {panes.map((name) => (
            <Tabs.Tab
              key={name}
              value={name}
              className={classes.tab}
              data-pane={name}
              data-out={out.includes(name) || undefined}
            >
              {LABELS[name]}
              <TabCount pane={name} agentId={agentId} />
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <MoreTabs out={out} labels={LABELS} onChoose={setPane} />
        <div className={classes.actions}>{actions}</div>
      </div>
      {panes.map((name) => (
        <Tabs.Panel
          key={name}
          value={name}
          className={classes.content}
          {...(contentHeight === undefined ? {} : { style: { height: contentHeight, flex: 'none' } })}
        >
          <Suspense fallback={<SkeletonRows rows={4} />}>
            <PaneContent pane={name} agentId={agentId} named={contentHeight !== undefined} />
          </Suspense>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

interface PaneContentProps {
  pane: Pane
  agentId: string
  named: boolean
}

function PaneContent({ pane, agentId, named }: PaneContentProps) {
  const { data: agent, error, refetch } = useQuery(query(getAgent, { params: { agent_id: agentId } }))
  const reason = useServerMachineReason(agent)
  if (error !== null && (agent === undefined || isGone(error))) {
    return <AgentError error={error} onRetry={() => void refetch()} />
  }
  if (agent === undefined) return <SkeletonRows rows={6} />
  return (
    <ReadOnlyMachineProvider value={reason !== undefined}>
      <PaneOf key={agentId} pane={pane} agent={agent} named={named} />
    </ReadOnlyMachineProvider>
  )
}

function PaneOf({ pane, agent, named }: { pane: Pane; agent: AgentDetail; named: boolean }) {
  switch (pane) {
    case 'summary':
      return <MachineSummary agent={agent} named={named} />
    case 'metrics':
      return <MetricsPane agent={agent} />
    case 'processes':
      return <ProcessesPane agent={agent} />
    case 'services':
      return <ServicesPane agent={agent} />
    case 'scheduler':
      return <SchedulerPane agent={agent} />
    case 'patches':
      return <PatchesPane agent={agent} />
    case 'software':
      return <SoftwarePane agent={agent} />
    case 'checks':
      return <ChecksPane agent={agent} />
    case 'policies':
      return <MachinePolicies agent={agent} />
    case 'tasks':
      return <TasksPane agent={agent} />
    case 'alerts':
      return <AlertsPane agent={agent} />
    case 'history':
      return <HistoryPane agent={agent} />
    case 'notes':
      return <NotesTab agentId={agent.agent_id} />
    case 'audit':
      return <AuditTab agentId={agent.agent_id} />
  }
}
