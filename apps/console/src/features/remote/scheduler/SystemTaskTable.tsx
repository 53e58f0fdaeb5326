import { useMediaQuery } from '@mantine/hooks'
import type { SystemTask, SystemTaskAction } from '@muster/contract/agent/scheduler'
import type { AgentDetail } from '@muster/contract/api/agents'
import { changeSystemTask, listSystemTasks } from '@muster/contract/api/scheduler'
import { IconPlayerPlay, IconToggleLeft, IconToggleRight } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { call } from '../../../app/api/api.ts'
import { queryKey } from '../../../app/api/query-key.ts'
import { FormError } from '../../../app/dialogs/FormDialog.tsx'
import { notifyDone } from '../../../app/shell/notify.ts'
import { ConfirmDialog } from '../../../ui/dialog/ConfirmDialog.tsx'
import { ContextMenu } from '../../../ui/dialog/ContextMenu.tsx'
import type { MenuEntry, Point } from '../../../ui/dialog/menu-entry.ts'
import { EmptyState } from '../../../ui/layout/States.tsx'
import { type DotState, StatusDot } from '../../../ui/layout/StatusDot.tsx'
import { Time } from '../../../ui/layout/Time.tsx'
import { DataTable } from '../../../ui/table/DataTable.tsx'
import type { DataCard, DataColumn, TableSort } from '../../../ui/table/data-column.ts'

/** Failed tasks first. */
const STATE_ORDER = ['failed', 'running', 'ready', 'unknown', 'disabled']

const VALUES: Record<string, (task: SystemTask) => number | string> = {
  name: ({ name }) => name.toLowerCase(),
  state: ({ state }) => STATE_ORDER.indexOf(state),
  next: ({ next_run }) => next_run ?? '~',
  last: ({ last_run }) => last_run ?? '',
  result: ({ last_result }) => last_result,
}

/** Tasks that contain all words, in the order of a column. */
function findTasks(tasks: readonly SystemTask[], search: string, { column, descending }: TableSort) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const valueOf = VALUES[column] ?? (({ name }) => name)
  const sign = descending ? -1 : 1
  return tasks
    .filter((task) => words.every((word) => textOf(task).includes(word)))
    .toSorted((a, b) => {
      const [one, other] = [valueOf(a), valueOf(b)]
      if (one !== other) return (one < other ? -1 : 1) * sign
      return a.name < b.name ? -1 : 1
    })
}

const textOf = ({ name, description, state, command, username, schedule }: SystemTask) =>
  `${name} ${description} ${state} ${command} ${username} ${schedule}`.toLowerCase()

interface SystemTaskTableProps {
  agent: AgentDetail
  tasks: readonly SystemTask[]
  search: string
}

type Open = { task: SystemTask } & ({ at: Point } | { action: SystemTaskAction })

export function SystemTaskTable({ agent, tasks, search }: SystemTaskTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const [sort, setSort] = useState({ column: 'name', descending: false })
  const [selected, setSelected] = useState<string>()
  const [open, setOpen] = useState<Open>()
  const rows = useMemo(() => findTasks(tasks, search, sort), [tasks, search, sort])
  const start = (task: SystemTask) => setOpen({ task, action: 'run' })
  return (
    <div className="pane">
      <DataTable
        label="System tasks"
        rows={rows}
        rowKey={({ name }) => name}
        columns={COLUMNS}
        context={agent.time_zone ?? agent.timezone}
        rowHeight={28}
        minWidth={COLUMNS_PX}
        sort={sort}
        onSort={(column) =>
          setSort((before) => ({ column, descending: before.column === column && !before.descending }))
        }
        selected={selected}
        onSelect={(task) => setSelected(task?.name)}
        onOpen={start}
        onDoubleClick={start}
        onMenu={(task, at) => setOpen({ task, at })}
        card={hasCards ? CARD : undefined}
        scrollKey={`${sort.column} ${sort.descending} ${search}`}
        empty={
          <EmptyState
            message={tasks.length === 0 ? 'No system tasks' : 'No system tasks match the search.'}
          />
        }
      />
      {open !== undefined && (
        <ContextMenu
          label={`System task ${open.task.name}`}
          at={'at' in open ? open.at : undefined}
          entries={menuOf(open.task, setOpen)}
          onClose={() => setOpen((now) => (now !== undefined && 'at' in now ? undefined : now))}
        />
      )}
      {open !== undefined && 'action' in open && (
        <ChangeDialog
          agent={agent}
          task={open.task}
          action={open.action}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  )
}

function menuOf(task: SystemTask, setOpen: (open: Open) => void): MenuEntry[] {
  const isDisabled = task.state === 'disabled'
  const fixed = task.can_change ? undefined : 'Managed by the system'
  return [
    {
      id: 'run',
      label: 'Run',
      icon: IconPlayerPlay,
      shortcut: 'Enter',
      disabledReason: task.state === 'running' ? 'Already running' : undefined,
      run: () => setOpen({ task, action: 'run' }),
    },
    {
      id: 'enable',
      label: 'Enable',
      icon: IconToggleRight,
      disabledReason: fixed ?? (isDisabled ? undefined : 'Already enabled'),
      run: () => setOpen({ task, action: 'enable' }),
    },
    {
      id: 'disable',
      label: 'Disable',
      icon: IconToggleLeft,
      danger: true,
      disabledReason: fixed ?? (isDisabled ? 'Already disabled' : undefined),
      run: () => setOpen({ task, action: 'disable' }),
    },
  ]
}

const VERBS: Record<SystemTaskAction, string> = { run: 'Run', enable: 'Enable', disable: 'Disable' }
const MESSAGES: Record<SystemTaskAction, string> = {
  run: 'Starts now, with the account of the task.',
  enable: 'Runs by its schedule again.',
  disable: 'No longer runs by its schedule.',
}

interface ChangeDialogProps {
  agent: Pick<AgentDetail, 'agent_id' | 'hostname'>
  task: SystemTask
  action: SystemTaskAction
  onClose: () => void
}

/** Names the task and the machine; shows the machine's error in place. */
function ChangeDialog({ agent, task, action, onClose }: ChangeDialogProps) {
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      call(changeSystemTask, { params: { agent_id: agent.agent_id }, body: { name: task.name, action } }),
    meta: { errorsShown: true },
    onSuccess: async (after) => {
      notifyDone(action === 'run' ? `${titleOf(task)} was started.` : `${titleOf(task)} is ${after.state}.`)
      onClose()
      await queryClient.invalidateQueries({ queryKey: queryKey(listSystemTasks) })
    },
  })
  return (
    <ConfirmDialog
      title={`${VERBS[action]} ${titleOf(task)} on ${agent.hostname}?`}
      message={
        <>
          {error !== null && <FormError error={error} />}
          <p>{MESSAGES[action]}</p>
          {task.command !== '' && <code>{task.command}</code>}
        </>
      }
      confirmLabel={VERBS[action]}
      danger={action === 'disable'}
      busy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}

/** `ScheduledDefrag` of `\Microsoft\Windows\Defrag\ScheduledDefrag`. */
const titleOf = ({ name }: SystemTask) => name.split('\\').at(-1) || name

const DOTS: Record<SystemTask['state'], DotState> = {
  running: 'online',
  ready: 'online',
  disabled: 'offline',
  failed: 'overdue',
  unknown: 'away',
}

const COLUMNS: readonly DataColumn<SystemTask, string>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(170px, 1.4fr)',
    sortable: true,
    render: (task) => <span data-tip={task.name}>{titleOf(task)}</span>,
  },
  {
    id: 'state',
    title: 'State',
    width: '100px',
    sortable: true,
    render: ({ state }) => <StatusDot state={DOTS[state]} label={state} />,
    watch: ({ state }) => state,
  },
  {
    id: 'schedule',
    title: 'Schedule',
    width: 'minmax(150px, 1fr)',
    render: ({ schedule }) => <span data-tip={schedule}>{schedule === '' ? 'on request' : schedule}</span>,
  },
  {
    id: 'next',
    title: 'Next run',
    width: '170px',
    sortable: true,
    render: ({ next_run }, zone) => <Time instant={next_run} machineZone={zone} />,
  },
  {
    id: 'last',
    title: 'Last run',
    width: '170px',
    sortable: true,
    render: ({ last_run }, zone) => <Time instant={last_run} machineZone={zone} />,
  },
  { id: 'result', title: 'Result', width: '120px', sortable: true, render: ({ last_result }) => last_result },
  {
    id: 'command',
    title: 'Command',
    width: 'minmax(160px, 1.2fr)',
    render: ({ command, description }) => <span data-tip={description}>{command}</span>,
  },
]

const COLUMNS_PX = 1060

const CARD: DataCard<SystemTask, string> = {
  height: 61,
  render: (task) => (
    <>
      <div className="cardLine">
        <span className="cut">{titleOf(task)}</span>
        <StatusDot state={DOTS[task.state]} label={task.state} />
      </div>
      <div className="cardLine dim">
        <span className="cut">{task.command}</span>
        <span>{task.last_result}</span>
      </div>
    </>
  ),
}
