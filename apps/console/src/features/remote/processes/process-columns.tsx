import { formatFileSize } from '@muster/rules/text/file-size'
import type { DataCard, DataColumn } from '../../../ui/table/data-column.ts'
import classes from '../../../ui/layout/ListPane.module.css'
import type { ProcessLine } from './process-rows.ts'

export interface ProcessContext {
  formatDate: (instant: string) => string
}

const STATES: Partial<Record<ProcessLine['process']['state'], string>> = {
  waiting: 'waits for a disk',
  stopped: 'stopped',
  ended: 'ended',
}

export const PROCESS_COLUMNS: readonly DataColumn<ProcessLine, ProcessContext>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(150px, 1.2fr)',
    sortable: true,
    render: (line) => <Name line={line} />,
  },
  {
    id: 'pid',
    title: 'PID',
    width: '80px',
    numeric: true,
    sortable: true,
    render: ({ process }) => process.pid,
  },
  {
    id: 'user',
    title: 'User',
    width: 'minmax(80px, 0.6fr)',
    sortable: true,
    render: ({ process }) => process.username,
  },
  {
    id: 'cpu',
    title: 'CPU',
    width: '72px',
    numeric: true,
    sortable: true,
    render: ({ process }) => `${process.cpu_percent.toFixed(1)} %`,
  },
  {
    id: 'memory',
    title: 'Memory',
    width: '96px',
    numeric: true,
    sortable: true,
    render: ({ process }) => formatFileSize(process.membytes),
  },
  {
    id: 'ports',
    title: 'Ports',
    width: 'minmax(64px, 0.5fr)',
    sortable: true,
    render: ({ process }) => <Ports process={process} />,
  },
  {
    id: 'command',
    title: 'Command line',
    width: 'minmax(160px, 2fr)',
    render: ({ process }) => (
      <span className="mono" data-tip={process.command}>
        {process.command}
      </span>
    ),
  },
  {
    id: 'nice',
    title: 'Priority',
    width: '76px',
    numeric: true,
    sortable: true,
    render: ({ process }) => process.nice ?? '–',
  },
  {
    id: 'started',
    title: 'Started',
    width: '168px',
    sortable: true,
    render: ({ process }, { formatDate }) => (
      <span className={classes.dim}>
        {process.started_at === null ? '–' : formatDate(process.started_at)}
      </span>
    ),
  },
]

export const PROCESS_COLUMNS_PX = 980

export const PROCESS_CARD: DataCard<ProcessLine, ProcessContext> = {
  height: 61,
  render: (line) => (
    <>
      <div className="cardLine">
        <Name line={line} />
        <span className="numbers">
          {line.process.cpu_percent.toFixed(1)} % · {formatFileSize(line.process.membytes)}
        </span>
      </div>
      <div className={`cardLine ${classes.dim}`}>
        <span className="mono cut">{line.process.command}</span>
        <span>
          {line.process.username} · {line.process.pid}
        </span>
      </div>
    </>
  ),
}

function Name({ line: { process, depth } }: { line: ProcessLine }) {
  const state = STATES[process.state]
  return (
    <span className="cut" style={{ paddingInlineStart: Math.min(depth, 12) * 14 }}>
      {process.name}
      {state !== undefined && <span className={classes.dim}> · {state}</span>}
    </span>
  )
}

function Ports({ process: { ports } }: Pick<ProcessLine, 'process'>) {
  const told = ports.map(({ protocol, address, port }) => `${protocol} ${address}:${port}`).join('\n')
  return <span data-tip={told}>{[...new Set(ports.map(({ port }) => port))].join(', ')}</span>
}
