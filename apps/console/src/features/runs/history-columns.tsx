import type { AgentHistory } from '@muster/contract/api/runs'
import { IconFileCode, IconPackage, IconShieldDown, IconTerminal2 } from '@tabler/icons-react'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import { RunState } from './RunState.tsx'
import classes from './HistoryPane.module.css'
import { TYPE_LABELS } from './history-list.ts'
import { describeDuration, runLabel } from './run-state.ts'

export interface HistoryContext {
  nowMs: number
  formatDate: (instant: string) => string
}

const ICONS = {
  cmd_run: IconTerminal2,
  script_run: IconFileCode,
  patch_install: IconShieldDown,
  package_install: IconPackage,
}

export const HISTORY_COLUMNS: readonly DataColumn<AgentHistory, HistoryContext>[] = [
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
    render: ({ time }, { formatDate }) => <span className={classes.dim}>{formatDate(time)}</span>,
  },
  {
    id: 'duration',
    title: 'Duration',
    width: '96px',
    render: (run, { nowMs }) => <span className={classes.dim}>{describeDuration(run, nowMs)}</span>,
  },
  {
    id: 'retcode',
    title: 'Exit code',
    width: '80px',
    render: ({ retcode }) => <span className={classes.dim}>{retcode ?? '–'}</span>,
  },
]

export const HISTORY_COLUMNS_PX = 720

export const HISTORY_CARD: DataCard<AgentHistory, HistoryContext> = {
  height: 61,
  render: (run, { nowMs, formatDate }) => (
    <>
      <div className="cardLine">
        <span className={`mono cut`}>{runLabel(run)}</span>
        <RunState run={run} />
      </div>
      <div className={`cardLine ${classes.dim}`}>
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
