import { Button } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { listAgentTasks, type Task } from '@muster/contract/api/tasks'
import { IconPlugX, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { query } from '../../app/api/api.ts'
import { isRefused } from '../../app/api/describe-error.ts'
import { may, useMe } from '../../app/api/queries.ts'
import { EmptyState, NoPermission } from '../../ui/layout/States.tsx'
import classes from '../checks/ChecksPane.module.css'
import { TaskTable } from './TaskTable.tsx'
import { useTaskActions } from './use-task-actions.ts'

const REFUSED = 'Your role does not allow you to see tasks.'

/** What a machine does by itself, with how it went last; live. */
export function TasksPane({ agent }: { agent: AgentDetail }) {
  const me = useMe()
  const mayList = me !== undefined && may(me, 'can_list_autotasks')
  const options = query(listAgentTasks, { params: { agent_id: agent.agent_id }, query: {} })
  const { data: tasks, error, refetch } = useQuery({ ...options, enabled: mayList })
  const actions = useTaskActions(agent)
  if ((me !== undefined && !mayList) || isRefused(error)) return <NoPermission message={REFUSED} />
  if (tasks === undefined) return <LoadingState error={error} onRetry={() => void refetch()} rows={6} />
  if (tasks.length === 0) {
    if (!actions.mayManage) return <EmptyState message={`${agent.hostname} has no tasks.`} />
    return (
      <EmptyState
        message={`${agent.hostname} has no tasks yet. Add one, and the machine runs it by its own clock.`}
      >
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
          {agent.hostname} is not connected. It goes on running its tasks, and results come when it is back.
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

/** `1 failing, 2 pending, 8 passing, 1 switched off`. */
function countTasks(tasks: readonly Task[]): string {
  const states = tasks
    .filter(({ overridden_by_policy }) => !overridden_by_policy)
    .map(({ enabled, task_result }) => (enabled ? task_result.status : 'switched off'))
  return (['failing', 'pending', 'passing', 'switched off'] as const)
    .map((state) => ({ state, many: states.filter((one) => one === state).length }))
    .filter(({ many }) => many > 0)
    .map(({ state, many }) => `${many} ${state}`)
    .join(', ')
}
