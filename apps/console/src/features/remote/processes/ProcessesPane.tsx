import '@mantine/core/styles/Switch.css'
import type { AgentDetail } from '@muster/contract/api/agents'
import { useEffect, useState } from 'react'
import { Button, Switch } from '@mantine/core'
import { formatFileSize } from '@muster/rules/text/units'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useDocumentVisibility } from '@mantine/hooks'
import { type LiveProcesses, type Process, watchProcesses } from '@muster/contract/api/processes'
import { describeError, isRefused } from '../../../app/api/describe-error.ts'
import { useMay } from '../../../app/api/queries.ts'
import { useFind } from '../../../app/shell/use-tool-location.ts'
import { EmptyState, ErrorState, NoPermission, SkeletonRows } from '../../../ui/layout/States.tsx'
import classes from '../../../ui/layout/ListPane.module.css'
import { SearchField } from '../../../ui/inputs/SearchField.tsx'
import { StatusDot } from '../../../ui/layout/StatusDot.tsx'
import { askAgain } from '../../../app/api/ask-again.ts'
import { call } from '../../../app/api/api.ts'
import { ProcessTable } from './ProcessTable.tsx'

/** The processes of a machine, live while the page is visible. */
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
      return <EmptyState message={`${agent.hostname} is offline. Processes appear when it reconnects.`} />
    if (state === 'silent')
      return (
        <EmptyState
          message={`${agent.hostname} sends no processes. Its agent may be too old: reinstall it.`}
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
        isWindows={agent.plat === 'windows'}
      />
      <ProcessTable agent={agent} processes={view.processes} search={search} asTree={asTree} />
    </div>
  )
}

const WORDS = {
  live: { state: 'online', label: 'Live' },
  waiting: { state: 'away', label: 'Waiting for the machine' },
  silent: { state: 'away', label: 'No response from the machine' },
  paused: { state: 'away', label: 'Paused' },
  away: { state: 'offline', label: 'Offline: last known state' },
} as const

interface ProcessToolsProps {
  search: string
  onSearch: (search: string) => void
  asTree: boolean
  onTree: (asTree: boolean) => void
  paused: boolean
  onPause: (paused: boolean) => void
  state: LiveView['state']
  view: ProcessesView
  isWindows: boolean
}

/** Above the table: search, layout, and the load of the machine. */
function ProcessTools(props: ProcessToolsProps) {
  const { search, onSearch, asTree, onTree, paused, onPause, state, view, isWindows } = props
  const { cpu_percent, memory_used, memory_total, left_out } = view.sums
  const Icon = paused ? IconPlayerPlay : IconPlayerPause
  return (
    <div className={classes.tools}>
      <SearchField
        label="Search processes"
        placeholder={`Name, command, user:${isWindows ? 'SYSTEM' : 'root'}, port:443`}
        value={search}
        onSearch={onSearch}
        className={classes.search}
      />
      <Switch label="Tree" checked={asTree} onChange={(event) => onTree(event.currentTarget.checked)} />
      <Button
        variant="default"
        leftSection={<Icon size={14} stroke={1.75} aria-hidden />}
        onClick={() => onPause(!paused)}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
      <div className={classes.sums}>
        <span>{view.processes.length} processes</span>
        {left_out > 0 && <span>{left_out} more are not shown</span>}
        <span>CPU {cpu_percent.toFixed(1)} %</span>
        <span>
          Memory {formatFileSize(memory_used)} of {formatFileSize(memory_total)}
        </span>
        <span role="status">
          <StatusDot {...WORDS[state]} />
        </span>
      </div>
    </div>
  )
}

interface ProcessesView {
  processes: readonly Process[]
  sums: Pick<LiveProcesses, 'cpu_percent' | 'memory_total' | 'memory_used' | 'left_out'>
}

interface LiveView {
  /** The last received list; undefined = none yet. */
  view: ProcessesView | undefined
  /** `silent`: the machine is online and sends nothing. */
  state: 'waiting' | 'live' | 'paused' | 'away' | 'silent'
  error: unknown
}

const MIN_MS = 800
const AWAY_MS = 2000
/** Each waits for some seconds. */
const VAIN_TURNS = 4

/** The processes of a machine, each second while the page is visible: the requests keep the measurement running. */
function useLiveProcesses(
  agentId: string,
  { connected, paused }: { connected: boolean; paused: boolean },
): LiveView & { retry: () => void } {
  const isVisible = useDocumentVisibility() !== 'hidden'
  const [view, setView] = useState<ProcessesView>()
  const [news, setNews] = useState<'waiting' | 'live' | 'silent'>('waiting')
  const [error, setError] = useState<unknown>(null)
  const [turn, setTurn] = useState(0)
  const isAsking = isVisible && connected && !paused
  useEffect(() => {
    if (!isAsking) return undefined
    const stop = new AbortController()
    void follow(agentId, stop.signal, {
      see: (seen) => {
        setView(seen)
        setNews('live')
        setError(null)
      },
      onSilence: () => setNews('silent'),
      miss: (trouble) => {
        setNews('waiting')
        setError(trouble)
      },
    })
    return () => {
      stop.abort()
      setNews('waiting')
    }
  }, [agentId, isAsking, turn])
  const state = !connected ? 'away' : !isAsking ? 'paused' : news
  return { view, state, error, retry: () => setTurn((before) => before + 1) }
}

interface Listener {
  see: (view: ProcessesView) => void
  onSilence: () => void
  miss: (error: unknown) => void
}

function follow(agentId: string, signal: AbortSignal, { see, onSilence, miss }: Listener): Promise<void> {
  const known = new Map<number, Process>()
  let after = ''
  let vainTurns = 0
  const ask = async () => {
    const answer = await call(watchProcesses, { params: { agent_id: agentId }, query: { after } }, { signal })
    if (signal.aborted) return 0
    after = answer.next
    if (answer.whole) known.clear()
    for (const pid of answer.gone) known.delete(pid)
    for (const process of answer.processes) known.set(process.pid, process)
    if (answer.more) return 0
    if (!answer.connected) miss(null)
    else if (known.size === 0) {
      vainTurns += 1
      if (vainTurns >= VAIN_TURNS) onSilence()
    } else {
      const { cpu_percent, memory_total, memory_used, left_out } = answer
      see({ processes: [...known.values()], sums: { cpu_percent, memory_total, memory_used, left_out } })
    }
    return answer.connected ? MIN_MS : AWAY_MS
  }
  return askAgain(ask, miss, signal)
}
