import { ActionIcon } from '@mantine/core'
import type { Task } from '@muster/contract/api/tasks'
import { formatRelativeTime } from '@muster/rules/text/units'
import { IconDatabaseImport, IconDots } from '@tabler/icons-react'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import type { Point } from '../../ui/dialog/menu-entry.ts'
import { PolicyMark } from '../policies/PolicyMark.tsx'
import classes from '../checks/ChecksPane.module.css'
import { TaskStatus } from './TaskStatus.tsx'
import { describeResult, nextRunOf, SYNC_LABELS } from './task-labels.ts'

export interface TaskContext {
  nowMs: number
  /** Time zone of the machine. */
  zone: string
  formatExact: (instant: string) => string
  openMenu: (task: Task, at: Point) => void
  /** Shows where the task comes from; absent where the role may not see policies. */
  explain?: (task: Task) => void
}

export const TASK_COLUMNS_PX = 860

export const TASK_COLUMNS: readonly DataColumn<Task, TaskContext>[] = [
  {
    id: 'status',
    title: 'Status',
    width: '156px',
    render: (task) => <TaskStatus task={task} />,
    watch: ({ task_result: { status, run_status }, enabled, overridden_by_policy }) =>
      `${status} ${run_status} ${enabled} ${overridden_by_policy}`,
  },
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(150px, 2fr)',
    render: (task, context) => (
      <span className={classes.described}>
        <Mark task={task} context={context} />
        <bdi
          className={classes.name}
          data-tip={`${task.name}: ${SYNC_LABELS[task.task_result.sync_status]}`}
          data-resting={task.overridden_by_policy}
        >
          {task.name}
        </bdi>
        <ResultMark task={task} />
      </span>
    ),
  },
  {
    id: 'schedule',
    title: 'Schedule',
    width: 'minmax(150px, 2fr)',
    render: ({ schedule, check_name }) => (
      <span data-tip={check_name === null ? schedule : `${schedule}: ${check_name}`}>{schedule}</span>
    ),
  },
  {
    id: 'more_info',
    title: 'Last result',
    width: 'minmax(150px, 3fr)',
    render: (task) => <bdi>{describeResult(task)}</bdi>,
  },
  {
    id: 'last_run',
    title: 'Last run',
    width: '120px',
    render: (task, context) => <LastRun task={task} context={context} />,
  },
  {
    id: 'next_run',
    title: 'Next run',
    width: '120px',
    render: (task, context) => <NextRun task={task} context={context} />,
  },
  {
    id: 'menu',
    title: 'Actions',
    titleHidden: true,
    width: '40px',
    render: (task, { openMenu }) => <MenuButton task={task} onOpen={openMenu} />,
  },
]

export const TASK_CARD: DataCard<Task, TaskContext> = {
  height: 83,
  render: (task, context) => (
    <>
      <div className="cardLine">
        <span className={classes.described}>
          <Mark task={task} context={context} />
          <bdi className={`cut ${classes.name}`} data-resting={task.overridden_by_policy}>
            {task.name}
          </bdi>
          <ResultMark task={task} />
        </span>
        <span className="fixed-row">
          <TaskStatus task={task} />
          <MenuButton task={task} onOpen={context.openMenu} />
        </span>
      </div>
      <div className="cardLine dim">
        <span className="cut">{task.schedule}</span>
        <span className="fixed-row">
          <NextRun task={task} context={context} />
        </span>
      </div>
      <div className="cardLine dim">
        <bdi className="cut">{describeResult(task)}</bdi>
        <span className="fixed-row">
          <LastRun task={task} context={context} />
        </span>
      </div>
    </>
  ),
}

interface CellProps {
  task: Task
  context: TaskContext
}

function Mark({ task, context: { explain } }: CellProps) {
  return (
    <PolicyMark
      noun="task"
      item={task}
      className={classes.action ?? ''}
      explain={explain && (() => explain(task))}
    />
  )
}

/** That its result is stored in a custom field. */
function ResultMark({ task: { custom_field_name: name } }: Pick<CellProps, 'task'>) {
  if (name === null) return null
  const words = `Result stored in the custom field ${name}`
  return (
    <span className={classes.depends} role="img" aria-label={words} data-tip={words}>
      <IconDatabaseImport size={16} stroke={1.75} aria-hidden />
    </span>
  )
}

function LastRun({ task: { task_result }, context }: CellProps) {
  const { last_run } = task_result
  if (last_run === null) return <span className="dim">never</span>
  return (
    <time dateTime={last_run} className="dim" data-tip={context.formatExact(last_run)}>
      {formatRelativeTime(last_run, Math.max(context.nowMs, Date.parse(last_run)))}
    </time>
  )
}

function NextRun({ task, context }: CellProps) {
  const next = nextRunOf(task, context.zone, context.nowMs)
  if (next === undefined) return <span className="dim">–</span>
  const instant = new Date(next).toISOString()
  return (
    <time dateTime={instant} className="dim" data-tip={context.formatExact(instant)}>
      {formatRelativeTime(instant, context.nowMs)}
    </time>
  )
}

// The keyboard opens the same menu with the menu key.
function MenuButton({ task, onOpen }: { task: Task; onOpen: TaskContext['openMenu'] }) {
  return (
    <ActionIcon
      size="sm"
      className={classes.action ?? ''}
      tabIndex={-1}
      aria-label={`Actions on ${task.name}`}
      onClick={(event) => {
        event.stopPropagation()
        const { left, bottom } = event.currentTarget.getBoundingClientRect()
        onOpen(task, { x: left, y: bottom })
      }}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <IconDots size={16} stroke={1.75} aria-hidden />
    </ActionIcon>
  )
}
