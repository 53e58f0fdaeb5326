import { useMediaQuery } from '@mantine/hooks'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { Task } from '@muster/contract/api/tasks'
import { useMemo, useState } from 'react'
import { ContextMenu } from '../../ui/dialog/ContextMenu.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { formatDate } from '../../ui/layout/date-format.ts'
import type { Point } from '../../ui/dialog/menu-entry.ts'
import { useNow } from '../../ui/layout/use-now.ts'
import { usePane } from '../agents/use-pane.ts'
import classes from '../checks/ChecksPane.module.css'
import { TASK_CARD, TASK_COLUMNS, TASK_COLUMNS_PX, type TaskContext } from './task-columns.tsx'
import type { TaskActions } from './use-task-actions.ts'

const ROW_PX = 32
const TICK_MS = 5000

interface TaskTableProps {
  agent: AgentDetail
  tasks: readonly Task[]
  actions: TaskActions
}

/** The tasks, with their menu and what clicks and keys do. */
export function TaskTable({ agent, tasks, actions }: TaskTableProps) {
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
