import { Button } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { editTask, listAgentTasks, runTask, type Task } from '@muster/contract/api/tasks'
import { IconListDetails, IconPencil, IconPlugX, IconPlus, IconPower } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMediaQuery } from '@mantine/hooks'
import { useCallback, useMemo, useState } from 'react'
import { useNavigate } from '@tanstack/react-router'
import { call, query } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { useMay } from '../../app/api/queries.ts'
import { EmptyState } from '../../ui/layout/States.tsx'
import classes from '../checks/ChecksPane.module.css'
import { ContextMenu } from '../../ui/dialog/ContextMenu.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { formatDate } from '../../ui/layout/date-format.ts'
import { divider, type MenuEntry, type Point } from '../../ui/dialog/menu-entry.ts'
import { useNow } from '../../ui/layout/use-now.ts'
import { usePane } from '../agents/use-pane.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import {
  explainAction,
  removeAction,
  runAction,
  unlessAllowed,
  unlessOfPolicy,
} from '../../app/shell/row-actions.ts'
import { useQueryPane } from '../../app/dialogs/use-query-pane.tsx'
import { TASK_CARD, TASK_COLUMNS, TASK_COLUMNS_PX, type TaskContext } from './task-columns.tsx'

const REFUSED = 'Your role does not allow you to see tasks.'

/** The tasks of a machine with their last results; live. */
export function TasksPane({ agent }: { agent: AgentDetail }) {
  const options = query(listAgentTasks, { params: { agent_id: agent.agent_id }, query: {} })
  const { data: tasks, instead } = useQueryPane(options, {
    needs: 'can_list_autotasks',
    refused: REFUSED,
    rows: 6,
  })
  const actions = useTaskActions(agent)
  if (tasks === undefined) return instead
  if (tasks.length === 0) {
    if (!actions.mayManage) return <EmptyState message={`${agent.hostname} has no tasks.`} />
    return (
      <EmptyState message={`${agent.hostname} has no tasks yet. Add one to run it on a schedule.`}>
        <NewTask onClick={actions.add} />
      </EmptyState>
    )
  }
  return (
    <div className={classes.pane}>
      <div className={classes.tools}>
        <span className={classes.counts}>{countTasks(tasks)}</span>
        {actions.mayManage && <NewTask onClick={actions.add} />}
      </div>
      {!agent.connected && (
        <p className={classes.away} role="status">
          <IconPlugX size={16} stroke={1.75} aria-hidden />
          {agent.hostname} is offline. Tasks continue; results arrive when it reconnects.
        </p>
      )}
      <TaskTable agent={agent} tasks={tasks} actions={actions} />
    </div>
  )
}

function NewTask({ onClick }: { onClick: () => void }) {
  return (
    <Button
      variant="default"
      leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />}
      onClick={onClick}
    >
      New task
    </Button>
  )
}

/** `1 failing, 2 pending, 8 passing, 1 disabled`. */
function countTasks(tasks: readonly Task[]): string {
  const states = tasks
    .filter(({ overridden_by_policy }) => !overridden_by_policy)
    .map(({ enabled, task_result }) => (enabled ? task_result.status : 'disabled'))
  return (['failing', 'pending', 'passing', 'disabled'] as const)
    .map((state) => ({ state, many: states.filter((one) => one === state).length }))
    .filter(({ many }) => many > 0)
    .map(({ state, many }) => `${many} ${state}`)
    .join(', ')
}

const ROW_PX = 32
const TICK_MS = 5000

interface TaskTableProps {
  agent: AgentDetail
  tasks: readonly Task[]
  actions: TaskActions
}

/** The tasks, with their menu, clicks and keys. */
function TaskTable({ agent, tasks, actions }: TaskTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const { entry, setEntry } = usePane()
  const [menu, setMenu] = useState<{ id: number; at: Point }>()
  const nowMs = useNow(TICK_MS)
  const context = useMemo<TaskContext>(
    () => ({
      nowMs,
      zone: agent.timezone,
      formatExact: (instant) => `${formatDate(instant, 'dddd, D MMMM YYYY, HH:mm:ss Z')}\n${instant}`,
      openMenu: ({ id }, at) => {
        setEntry(`${id}`)
        setMenu({ id, at })
      },
      ...(actions.explain === undefined ? {} : { explain: actions.explain }),
    }),
    [nowMs, agent.timezone, setEntry, actions.explain],
  )
  const asked = tasks.find(({ id }) => id === menu?.id)
  return (
    <div className={classes.table}>
      <DataTable
        label="Tasks"
        rows={tasks}
        rowKey={({ id }) => `${id}`}
        columns={TASK_COLUMNS}
        context={context}
        rowHeight={ROW_PX}
        minWidth={TASK_COLUMNS_PX}
        selected={entry}
        onSelect={(task) => setEntry(task && `${task.id}`)}
        {...(hasCards ? { onClickRow: actions.openTask } : {})}
        onOpen={actions.openTask}
        onDoubleClick={actions.openTask}
        onMenu={({ id }, at) => setMenu({ id, at })}
        card={hasCards ? TASK_CARD : undefined}
      />
      {menu !== undefined && asked !== undefined && (
        <ContextMenu
          label={`Actions on ${asked.name}`}
          at={menu.at}
          entries={actions.menuOf(asked)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </div>
  )
}

type TaskActions = ReturnType<typeof useTaskActions>

/** All actions on the tasks of a machine. */
function useTaskActions(agent: Pick<AgentDetail, 'agent_id' | 'hostname' | 'connected'>) {
  const { agent_id, hostname, connected } = agent
  const mayManage = useMay('can_manage_autotasks')
  const mayRun = useMay('can_run_autotasks')
  const mayExplain = useMay('can_list_automation_policies')
  const { open } = useDialog()
  const explain = useCallback(({ id }: Task) => open('why-task', `${agent_id}.${id}`), [open, agent_id])
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const run = useMutation({
    mutationFn: ({ id }: Task) => call(runTask, { params: { id } }),
    onSuccess: (_, { name }) => notifyDone(`Started ${name} on ${hostname}.`),
  })
  const turn = useMutation({
    mutationFn: ({ id, enabled }: Task) => call(editTask, { params: { id }, body: { enabled: !enabled } }),
    onSuccess: async ({ name, enabled }) => {
      notifyDone(`${name} ${enabled ? 'enabled' : 'disabled'}.`)
      await queryClient.invalidateQueries({ queryKey: queryKey(listAgentTasks) })
    },
  })
  const unlessManaged = unlessAllowed(mayManage)
  const unlessOwn = (task: Task) => unlessManaged ?? unlessOfPolicy(task)
  const reasonNotToRun = ({ enabled, actions, overridden_by_policy }: Task): string | undefined => {
    if (!mayRun) return unlessAllowed(mayRun)
    if (overridden_by_policy) return 'Overridden by a policy task'
    if (!enabled) return 'Task is disabled'
    if (actions.some((action) => action.type === 'script' && action.name === ''))
      return 'A script of the task was deleted'
    return connected ? undefined : `${hostname} is offline.`
  }
  const menuOf = (task: Task): MenuEntry[] => [
    {
      id: 'runs',
      label: 'Show runs',
      icon: IconListDetails,
      ...(mayManage && task.policy === null ? {} : { shortcut: 'Enter' }),
      run: () => open('task-runs', task.id),
    },
    task.policy === null
      ? {
          id: 'edit',
          label: 'Edit',
          icon: IconPencil,
          ...(mayManage ? { shortcut: 'Enter' } : {}),
          disabledReason: unlessManaged,
          run: () => open('edit-task', task.id),
        }
      : {
          id: 'edit',
          label: `Edit in the policy ${task.policy_name ?? ''}`,
          icon: IconPencil,
          disabledReason: unlessAllowed(mayExplain),
          run: () => void navigate({ to: '/policies/$policy_id', params: { policy_id: `${task.policy}` } }),
        },
    explainAction({ disabledReason: unlessAllowed(mayExplain), run: () => explain(task) }),
    divider('state'),
    runAction({ label: 'Run task', disabledReason: reasonNotToRun(task), run: () => run.mutate(task) }),
    {
      id: 'turn',
      label: task.enabled ? 'Disable' : 'Enable',
      icon: IconPower,
      disabledReason: unlessOwn(task),
      run: () => turn.mutate(task),
    },
    ...removeAction({ disabledReason: unlessOwn(task), run: () => open('remove-task', task.id) }),
  ]
  return {
    mayManage,
    menuOf,
    add: () => open('add-task', agent_id),
    /** The action of Enter and double click. */
    openTask: ({ id, policy }: Task) => open(mayManage && policy === null ? 'edit-task' : 'task-runs', id),
    explain: mayExplain ? explain : undefined,
  }
}
