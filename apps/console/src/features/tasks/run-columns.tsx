import type { Task, TaskRun } from '@muster/contract/api/tasks'
import { formatDuration } from '@muster/rules/text/units'
import { Time } from '../../ui/layout/Time.tsx'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import { RunStatus } from './TaskStatus.tsx'
import { triggerLabel } from './task-labels.ts'

export interface RunContext {
  severity: Task['alert_severity']
  /** Time zone of the machine. */
  zone: string
}

export const RUN_COLUMNS_PX = 640

export const RUN_COLUMNS: readonly DataColumn<TaskRun, RunContext>[] = [
  {
    id: 'status',
    title: 'Status',
    width: '150px',
    render: (run, { severity }) => <RunStatus run={run} severity={severity} />,
    watch: ({ state, status }) => `${state} ${status}`,
  },
  {
    id: 'started_at',
    title: 'Started',
    width: '190px',
    render: ({ started_at }, { zone }) => <Time instant={started_at} machineZone={zone} />,
  },
  {
    id: 'trigger',
    title: 'Trigger',
    width: 'minmax(130px, 1fr)',
    render: (run) => (run.state === 'missed' ? '–' : triggerLabel(run)),
  },
  {
    id: 'execution_time',
    title: 'Duration',
    width: '80px',
    render: ({ execution_time }) => (execution_time === null ? '–' : formatDuration(execution_time)),
  },
  {
    id: 'retcode',
    title: 'Exit code',
    width: '84px',
    render: ({ retcode }) => retcode ?? '–',
  },
]

export const RUN_CARD: DataCard<TaskRun, RunContext> = {
  height: 61,
  render: (run, { severity, zone }) => (
    <>
      <div className="cardLine">
        <RunStatus run={run} severity={severity} />
        <Time instant={run.started_at} machineZone={zone} />
      </div>
      <div className="cardLine dim">
        <span className="cut">{run.state === 'missed' ? run.more_info : triggerLabel(run)}</span>
        <span className="fixed-row">{run.execution_time !== null && formatDuration(run.execution_time)}</span>
      </div>
    </>
  ),
}
