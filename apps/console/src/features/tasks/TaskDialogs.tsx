import '@mantine/core/styles/Alert.css'
import { Alert, Button, Text } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import {
  createTask,
  deleteTask,
  editTask,
  getTask,
  listAgentTasks,
  type Task,
} from '@muster/contract/api/tasks'
import { ApiError } from '@muster/contract/client'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { call, query } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { AgentDialog, AgentItemDialog, type ItemDialogProps } from '../agents/AgentItemDialog.tsx'
import { shellsOf } from '../runs/run-form.ts'
import { RemoveDialog } from '../../app/dialogs/RemoveDialog.tsx'
import { TaskFormDialog } from './TaskFormDialog.tsx'
import { newTaskForm, readTaskForm } from './task-form.ts'
import { knownZone } from './task-labels.ts'

/** Adds a task to the machine in the address. */
export function AddTaskDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="New task" needs="can_manage_autotasks" onClose={close} size="lg">
      <AgentDialog title="New task" agentId={item} onClose={close} size="lg">
        {(agent) => <AddForm agent={agent} close={close} />}
      </AgentDialog>
    </GuardedDialog>
  )
}

function AddForm({ agent, close }: { agent: AgentDetail; close: () => void }) {
  const queryClient = useQueryClient()
  const [start] = useState(() =>
    newTaskForm(shellsOf(agent.plat)[0]?.value ?? 'sh', knownZone(agent.timezone)),
  )
  return (
    <TaskFormDialog
      title={`New task of ${agent.hostname}`}
      agent={agent}
      start={start}
      isNew
      save={async (task) => {
        await call(createTask, { body: { agent: agent.agent_id, ...task } })
        await queryClient.invalidateQueries({ queryKey: queryKey(listAgentTasks) })
      }}
      done="Task added."
      close={close}
    />
  )
}

/** Edits the task in the address. */
export function EditTaskDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Edit task" needs="can_manage_autotasks" onClose={close} size="lg">
      <TaskDialog title="Edit task" item={item} close={close}>
        {(task, agent) => <EditForm opened={task} agent={agent} close={close} />}
      </TaskDialog>
    </GuardedDialog>
  )
}

interface EditFormProps {
  opened: Task
  agent: AgentDetail
  close: () => void
}

function EditForm({ opened, agent, close }: EditFormProps) {
  const queryClient = useQueryClient()
  // The form keeps its initial values while others change the task; the server reports conflicts.
  const [task, setTask] = useState(opened)
  const [conflict, setConflict] = useState<Task>()
  const params = { id: task.id }
  return (
    <TaskFormDialog
      // A version saved by another user starts a new form.
      key={task.modified}
      title={`Edit ${task.name} of ${agent.hostname}`}
      agent={agent}
      start={readTaskForm(task)}
      save={async (fields) => {
        try {
          const saved = await call(editTask, { params, body: { ...fields, modified: task.modified } })
          queryClient.setQueryData(queryKey(getTask, { params }), saved)
          await queryClient.invalidateQueries({ queryKey: queryKey(listAgentTasks) })
        } catch (error) {
          if (error instanceof ApiError && error.code === 'changed_meanwhile') {
            setConflict(await queryClient.fetchQuery({ ...query(getTask, { params }), staleTime: 0 }))
          }
          throw error
        }
      }}
      done="Task saved."
      close={close}
      notice={
        conflict && (
          <Alert color="warning" mb="md" title="Another user has changed this task">
            Your changes are not saved. Load the current task and change it again.
            <div>
              <Button
                variant="default"
                mt="sm"
                onClick={() => {
                  setTask(conflict)
                  setConflict(undefined)
                }}
              >
                Load current task
              </Button>
            </div>
          </Alert>
        )
      }
    />
  )
}

/** Deletes the task in the address, with its runs. */
export function RemoveTaskDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Delete task" needs="can_manage_autotasks" onClose={close}>
      <TaskDialog title="Delete task" item={item} close={close} size="sm">
        {(task, { hostname }) => (
          <RemoveDialog
            title="Delete this task?"
            message={
              <Text>
                <bdi>{task.name}</bdi> on {hostname} and its runs will be deleted. An active run is stopped.
              </Text>
            }
            remove={() => call(deleteTask, { params: { id: task.id } })}
            done="Task deleted."
            stale={queryKey(listAgentTasks)}
            onClose={close}
          />
        )}
      </TaskDialog>
    </GuardedDialog>
  )
}

/** A dialog about the task in the address, and its machine. */
export function TaskDialog({ item, ...props }: ItemDialogProps<Task> & { item: string }) {
  return <AgentItemDialog noun="task" query={query(getTask, { params: { id: Number(item) } })} {...props} />
}
