import { Select } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { AgentDetail } from '@muster/contract/api/agents'
import { type Process, setPriority } from '@muster/contract/api/processes'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { call } from '../../../app/api/api.ts'

const LEVELS = [
  { value: '-14', label: 'High (-14)' },
  { value: '-7', label: 'Above normal (-7)' },
  { value: '0', label: 'Normal (0)' },
  { value: '10', label: 'Below normal (10)' },
  { value: '19', label: 'Idle (19)' },
]

interface PriorityDialogProps {
  agent: Pick<AgentDetail, 'agent_id' | 'hostname'>
  process: Process
  onClose: () => void
}

/** How urgent a process is, in the five classes that every system knows. */
export function PriorityDialog({ agent, process, onClose }: PriorityDialogProps) {
  const { name, pid, start } = process
  const now = `${process.nice ?? 0}`
  const form = useForm({ initialValues: { nice: now } })
  const choices = LEVELS.some(({ value }) => value === now)
    ? LEVELS
    : [{ value: now, label: `As it is (${now})` }, ...LEVELS]
  return (
    <FormDialog
      title={`Priority of ${name} on ${agent.hostname}`}
      form={form}
      save={({ nice }) =>
        call(setPriority, {
          params: { agent_id: agent.agent_id, pid },
          body: { start, nice: Number(nice) },
        })
      }
      done={`Priority of ${name} changed.`}
      onClose={onClose}
      size="sm"
    >
      <Select
        label="Priority"
        data={choices}
        allowDeselect={false}
        data-autofocus
        {...form.getInputProps('nice')}
      />
    </FormDialog>
  )
}
