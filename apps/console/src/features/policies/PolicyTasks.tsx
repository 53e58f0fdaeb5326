import { Button } from '@mantine/core'
import { listPolicyTasks } from '@muster/contract/api/policies'
import type { PolicyCheck, PolicyTask } from '@muster/contract/policies/policy-content'
import { platformName } from '@muster/rules/agents/available-actions'
import { describeTask } from '@muster/rules/schedules/task-text'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { agentPlatform } from '../../app/session/store.ts'
import { query } from '../../app/api/api.ts'
import { shellsOf } from '../runs/run-form.ts'
import { TaskFormDialog } from '../tasks/TaskFormDialog.tsx'
import { ALL_PLATFORMS, policyTaskTarget } from '../tasks/fields/GeneralFields.tsx'
import { newTaskForm, readPlatforms, readTaskForm } from '../tasks/task-form.ts'
import { Section } from '../../ui/layout/Section.tsx'
import { ContentLine } from './ContentLine.tsx'
import { findSaved, ItemStatus } from './ItemStatus.tsx'
import { useCheckNames } from './PolicyChecks.tsx'
import type { ContentProps } from './policy-draft.ts'

/** The tasks of a policy, with the form of a machine's tasks. */
export function PolicyTasks({ id, draft, change, disabled }: ContentProps) {
  const { tasks, checks } = draft.content
  const [open, setOpen] = useState<number>()
  const saved = useQuery({
    ...query(listPolicyTasks, { params: { id: id ?? 0 } }),
    enabled: id !== undefined,
  })
  const setTasks = (next: PolicyTask[]) => change({ content: { ...draft.content, tasks: next } })
  return (
    <Section
      title="Tasks"
      tools={
        !disabled && (
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />}
            onClick={() => setOpen(tasks.length)}
          >
            New task
          </Button>
        )
      }
    >
      {tasks.length === 0 && <p className="dim small">No tasks</p>}
      <ul className="plain-list" aria-label="Tasks of the policy">
        {tasks.map((one, index) => (
          <ContentLine
            key={one.id ?? `new ${index}`}
            name={one.task.name}
            more={describeMore(one)}
            status={<ItemStatus kind="task" name={one.task.name} item={findSaved(saved.data, one.id)} />}
            disabled={disabled}
            onEdit={() => setOpen(index)}
            onRemove={() => setTasks(tasks.filter((_, at) => at !== index))}
          />
        ))}
      </ul>
      {open !== undefined && (
        <PolicyTaskDialog
          task={tasks[open]}
          checks={checks}
          close={() => setOpen(undefined)}
          save={(task) => setTasks(tasks.toSpliced(open, 1, task))}
        />
      )}
    </Section>
  )
}

interface PolicyTaskDialogProps {
  /** Absent for a new task. */
  task: PolicyTask | undefined
  checks: readonly PolicyCheck[]
  save: (task: PolicyTask) => void
  close: () => void
}

/** Changes the draft only. */
function PolicyTaskDialog({ task, checks, save, close }: PolicyTaskDialogProps) {
  const nameOf = useCheckNames(checks)
  const choices = checks.flatMap((check) =>
    check.id === undefined ? [] : [{ value: `${check.id}`, label: nameOf(check) }],
  )
  const [start] = useState(() =>
    task === undefined
      ? {
          ...newTaskForm(shellsOf(agentPlatform.get())[0]?.value ?? 'sh', 'UTC'),
          task_supported_platforms: ALL_PLATFORMS,
        }
      : { ...readTaskForm(task.task), task_supported_platforms: task.task_supported_platforms },
  )
  return (
    <TaskFormDialog
      title={task === undefined ? 'New task of the policy' : `Edit ${task.task.name}`}
      agent={policyTaskTarget(choices)}
      start={start}
      isNew={task === undefined}
      save={async (fields, form) =>
        save({
          ...(task?.id === undefined ? {} : { id: task.id }),
          task: fields,
          task_supported_platforms: readPlatforms(form),
        })
      }
      close={close}
    />
  )
}

function describeMore({ task, task_supported_platforms: platforms }: PolicyTask): string {
  return [
    describeTask(task),
    ...(platforms.length < ALL_PLATFORMS.length ? [platforms.map(platformName).join(', ')] : []),
    ...(task.enabled ? [] : ['off']),
  ].join(', ')
}
