import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { AgentDetail } from '@muster/contract/api/agents'
import { type AgentHistory, listAgentHistory } from '@muster/contract/api/runs'
import { isFinal } from '@muster/rules/agents/history-state'
import {
  IconFileArrowRight,
  IconFileCode,
  IconPackage,
  IconShieldDown,
  IconTerminal2,
  IconX,
} from '@tabler/icons-react'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { use, useMemo, useState } from 'react'
import { callPage } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { useQueryPane } from '../../app/dialogs/use-query-pane.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { formatDate } from '../../ui/layout/date-format.ts'
import { DateFormat } from '../../ui/layout/date-format-context.ts'
import { useNow } from '../../ui/layout/use-now.ts'
import { usePane } from '../agents/use-pane.ts'
import { SearchField } from '../../ui/inputs/SearchField.tsx'
import { CsvButton } from '../../ui/table/CsvButton.tsx'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import classes from './HistoryPane.module.css'
import { RunView } from './RunView.tsx'
import { historyTable, searchRuns, TYPE_LABELS } from './history-list.ts'
import { describeDuration, runLabel } from './run-state.ts'
import { RunState } from './RunState.tsx'

/** Runs fetched at first, and added by each "Show older". */
const STEP = 200
const MAX_COUNT = 1000
const ROW_PX = 32

/** Commands and scripts sent to a machine, newest first, with their state; live. */
export function HistoryPane({ agent }: { agent: AgentDetail }) {
  const [size, setSize] = useState(STEP)
  const [search, setSearch] = useState('')
  const { data, instead } = useQueryPane(historyQuery(agent.agent_id, size), {
    refused: 'Your role does not allow you to see the history of machines.',
    rows: 6,
  })
  const { entry, setEntry } = usePane()
  const opened = data?.results.find(({ id }) => `${id}` === entry)
  if (data === undefined) return instead
  if (data.total === 0) return <NoHistory agent={agent} />
  const runs = searchRuns(data.results, search)
  const find = (text: string) => {
    setSearch(text)
    // A search may need older runs than the first page.
    setSize(MAX_COUNT)
  }
  const isOpen = entry !== undefined && /^\d+$/.test(entry)
  return (
    <div className={classes.pane} data-open={isOpen || undefined}>
      <div className={classes.list}>
        <HistoryTools search={search} onSearch={find} runs={runs} />
        {runs.length === 0 ? (
          <EmptyState message="No runs match the search.">
            <Button variant="default" onClick={() => setSearch('')}>
              Clear search
            </Button>
          </EmptyState>
        ) : (
          <HistoryTable
            asCards={isOpen}
            runs={runs}
            selected={entry}
            onSelect={(run) => setEntry(run && `${run.id}`)}
          />
        )}
        {data.total > data.results.length && (
          <div className="list-end">
            {size < MAX_COUNT ? (
              <Button variant="subtle" onClick={() => setSize(Math.min(MAX_COUNT, size + STEP))}>
                Show older
              </Button>
            ) : (
              <span className="dim">The newest {MAX_COUNT} are shown.</span>
            )}
          </div>
        )}
      </div>
      {isOpen && (
        <section className={classes.detail} aria-label="Output">
          <header className="fixed-row">
            <code className={classes.command}>
              {opened === undefined ? `Run ${entry}` : runLabel(opened)}
            </code>
            <Tooltip label="Close output">
              <ActionIcon aria-label="Close output" onClick={() => setEntry(undefined)}>
                <IconX size={16} stroke={1.75} />
              </ActionIcon>
            </Tooltip>
          </header>
          <RunView key={entry} id={Number(entry)} />
        </section>
      )}
    </div>
  )
}

interface HistoryTableProps {
  /** The output takes half of the height. */
  asCards: boolean
  runs: readonly AgentHistory[]
  selected: string | undefined
  onSelect: (run: AgentHistory | undefined) => void
}

function HistoryTable({ asCards, runs, selected, onSelect }: HistoryTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const isRunning = runs.some(({ state }) => !isFinal(state))
  const nowMs = useNow(isRunning ? 1000 : 60_000)
  const format = use(DateFormat)
  const context = useMemo(
    () => ({ nowMs, formatDate: (instant: string) => formatDate(instant, format) }),
    [nowMs, format],
  )
  return (
    <DataTable
      label="History"
      rows={runs}
      rowKey={({ id }) => `${id}`}
      columns={HISTORY_COLUMNS}
      context={context}
      rowHeight={ROW_PX}
      minWidth={HISTORY_COLUMNS_PX}
      selected={selected}
      onSelect={onSelect}
      card={asCards || hasCards ? HISTORY_CARD : undefined}
    />
  )
}

function NoHistory({ agent }: { agent: AgentDetail }) {
  const maySend = useMay('can_send_cmd')
  const { open } = useDialog()
  return (
    <EmptyState message={`No commands or scripts sent to ${agent.hostname} yet.`}>
      {maySend && (
        <Button variant="default" onClick={() => open('send-command', agent.agent_id)}>
          Send command
        </Button>
      )}
    </EmptyState>
  )
}

function historyQuery(agentId: string, size: number) {
  const input = { params: { agent_id: agentId }, query: { page: 1, page_size: size } }
  return queryOptions({
    queryKey: queryKey(listAgentHistory, input),
    queryFn: ({ signal }) => callPage(listAgentHistory, input, { signal }),
    placeholderData: keepPreviousData,
  })
}

interface HistoryToolsProps {
  search: string
  onSearch: (search: string) => void
  /** The visible runs. */
  runs: readonly AgentHistory[]
}

/** Search and file of the runs. */
function HistoryTools({ search, onSearch, runs }: HistoryToolsProps) {
  return (
    <div className={classes.tools}>
      <SearchField
        label="Search history"
        placeholder="Command, script, user, state"
        value={search}
        onSearch={onSearch}
        className={classes.search}
        size="xs"
      />
      <CsvButton
        of="runs"
        fileName="history.csv"
        table={runs.length === 0 ? undefined : () => historyTable(runs)}
      />
    </div>
  )
}

interface HistoryContext {
  nowMs: number
  formatDate: (instant: string) => string
}

const ICONS = {
  cmd_run: IconTerminal2,
  script_run: IconFileCode,
  patch_install: IconShieldDown,
  package_install: IconPackage,
  file_push: IconFileArrowRight,
}

const HISTORY_COLUMNS: readonly DataColumn<AgentHistory, HistoryContext>[] = [
  {
    id: 'state',
    title: 'State',
    width: '120px',
    render: (run) => <RunState run={run} />,
    watch: ({ state }) => state,
  },
  {
    id: 'type',
    title: 'Type',
    titleHidden: true,
    width: '32px',
    render: (run) => <TypeIcon type={run.type} />,
  },
  {
    id: 'command',
    title: 'Command or script',
    width: 'minmax(160px, 3fr)',
    render: (run) => <span className="mono">{runLabel(run)}</span>,
  },
  { id: 'user', title: 'User', width: 'minmax(80px, 0.8fr)', render: ({ username }) => username },
  {
    id: 'time',
    title: 'Time',
    width: '176px',
    render: ({ time }, { formatDate }) => <span className="dim">{formatDate(time)}</span>,
  },
  {
    id: 'duration',
    title: 'Duration',
    width: '96px',
    render: (run, { nowMs }) => <span className="dim">{describeDuration(run, nowMs)}</span>,
  },
  {
    id: 'retcode',
    title: 'Exit code',
    width: '80px',
    render: ({ retcode }) => <span className="dim">{retcode ?? '–'}</span>,
  },
]

const HISTORY_COLUMNS_PX = 720

const HISTORY_CARD: DataCard<AgentHistory, HistoryContext> = {
  height: 61,
  render: (run, { nowMs, formatDate }) => (
    <>
      <div className="cardLine">
        <span className="mono cut">{runLabel(run)}</span>
        <RunState run={run} />
      </div>
      <div className="cardLine dim">
        <span className="cut">
          {run.username} · {formatDate(run.time)}
        </span>
        <span>{describeDuration(run, nowMs)}</span>
      </div>
    </>
  ),
}

function TypeIcon({ type }: { type: AgentHistory['type'] }) {
  const Icon = ICONS[type]
  const label = TYPE_LABELS[type]
  return (
    <span role="img" aria-label={label} data-tip={label} className={classes.icon}>
      <Icon size={16} stroke={1.75} aria-hidden />
    </span>
  )
}
