import { Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { TaskFields } from '@muster/contract/api/tasks'
import type { ReactNode } from 'react'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { ActionList } from './fields/ActionList.tsx'
import { GeneralFields, type TaskTarget } from './fields/GeneralFields.tsx'
import { MoreFields } from './fields/MoreFields.tsx'
import { ScheduleFields } from './fields/ScheduleFields.tsx'
import { checkTaskForm, type TaskForm, toTask } from './task-form.ts'
import { knownZone } from './task-labels.ts'

interface TaskFormDialogProps {
  title: string
  agent: TaskTarget
  start: TaskForm
  isNew?: boolean
  save: (task: TaskFields, form: TaskForm) => Promise<void>
  done?: string
  close: () => void
  /** Above the fields. */
  notice?: ReactNode
}

export function TaskFormDialog(props: TaskFormDialogProps) {
  const { title, agent, start, isNew = false, save, done, close, notice } = props
  const zone = knownZone(agent.timezone)
  const form = useForm<TaskForm>({
    initialValues: start,
    validate: (values) =>
      checkTaskForm(values, { zone, mayBePast: !isNew && values.run_time_date === start.run_time_date }),
    validateInputOnBlur: true,
  })
  return (
    <FormDialog
      title={title}
      size="lg"
      form={form}
      save={async (values) => {
        const task = toTask(values)
        // Save is disabled while checkTaskForm finds an error.
        if (task !== undefined) await save(task, values)
      }}
      {...(done === undefined ? {} : { done })}
      onClose={close}
      submitLabel={isNew ? 'Add task' : 'Save'}
    >
      {notice}
      <Stack gap="xl">
        <GeneralFields agent={agent} form={form} />
        <ActionList agent={agent} form={form} />
        <ScheduleFields agent={agent} form={form} />
        <MoreFields agent={agent} form={form} />
      </Stack>
    </FormDialog>
  )
}
