import type { AgentDetail } from '@muster/contract/api/agents'
import { useState } from 'react'
import { describeError, isRefused } from '../../../app/api/describe-error.ts'
import { useMay } from '../../../app/api/queries.ts'
import { useFind } from '../../../app/shell/use-place.ts'
import { EmptyState, ErrorState, NoPermission, SkeletonRows } from '../../../ui/layout/States.tsx'
import classes from '../../../ui/layout/ListPane.module.css'
import { ProcessTable } from './ProcessTable.tsx'
import { ProcessTools } from './ProcessTools.tsx'
import { useLiveProcesses } from './use-live-processes.ts'

/** The processes of a machine, live while somebody looks. */
export function ProcessesPane({ agent }: { agent: AgentDetail }) {
  const may = useMay('can_manage_procs')
  if (!may) return <NoPermission message="Your role does not allow you to see the processes of machines." />
  return <LivePane agent={agent} />
}

function LivePane({ agent }: { agent: AgentDetail }) {
  const [paused, setPaused] = useState(false)
  const [search, setSearch] = useFind()
  const [asTree, setAsTree] = useState(false)
  const { view, state, error, retry } = useLiveProcesses(agent.agent_id, {
    connected: agent.connected,
    paused,
  })
  if (view === undefined) {
    if (isRefused(error))
      return <NoPermission message="Your role does not allow you to see the processes of machines." />
    if (error !== null) return <ErrorState {...describeError(error)} onRetry={retry} />
    if (state === 'away')
      return (
        <EmptyState
          message={`${agent.hostname} is not connected. Its processes are shown once it is back.`}
        />
      )
    if (state === 'silent')
      return (
        <EmptyState
          message={`${agent.hostname} does not tell its processes. Its agent may be older than this server: update it.`}
        />
      )
    return <SkeletonRows rows={8} />
  }
  return (
    <div className={classes.pane}>
      <ProcessTools
        search={search}
        onSearch={setSearch}
        asTree={asTree}
        onTree={setAsTree}
        paused={paused}
        onPause={setPaused}
        state={state}
        view={view}
      />
      <ProcessTable agent={agent} processes={view.processes} search={search} asTree={asTree} />
    </div>
  )
}
