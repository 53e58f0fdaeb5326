import { Select } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { MachineService, WantedStartType } from '@muster/contract/agent/services'
import type { AgentDetail } from '@muster/contract/api/agents'
import { listServices, setStartType } from '@muster/contract/api/services'
import { useQueryClient } from '@tanstack/react-query'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { call } from '../../../app/api/api.ts'
import { queryKey } from '../../../app/api/query-key.ts'

const CHOICES: { value: WantedStartType; label: string }[] = [
  { value: 'auto', label: 'Automatic' },
  { value: 'autodelay', label: 'Automatic, delayed' },
  { value: 'manual', label: 'Manual' },
  { value: 'disabled', label: 'Disabled' },
]

interface StartTypeDialogProps {
  agent: Pick<AgentDetail, 'agent_id' | 'hostname' | 'plat'>
  service: MachineService
  onClose: () => void
}

/** When a service starts; only what the system of the machine knows is offered. */
export function StartTypeDialog({ agent, service, onClose }: StartTypeDialogProps) {
  const queryClient = useQueryClient()
  const { name, display_name, start_type, autodelay } = service
  const now = start_type === 'auto' && autodelay ? 'autodelay' : start_type
  const form = useForm<{ startType: string }>({ initialValues: { startType: now } })
  const choices = CHOICES.filter(({ value }) => value !== 'autodelay' || agent.plat === 'windows')
  return (
    <FormDialog
      title={`Start of ${display_name} on ${agent.hostname}`}
      form={form}
      save={async ({ startType }) => {
        const wanted = CHOICES.find(({ value }) => value === startType)
        if (wanted === undefined) return
        await call(setStartType, {
          params: { agent_id: agent.agent_id, name },
          body: { startType: wanted.value },
        })
        await queryClient.invalidateQueries({ queryKey: queryKey(listServices) })
      }}
      done={`The start of ${display_name} is changed.`}
      onClose={onClose}
      size="sm"
    >
      <Select
        label="Start"
        data={now === 'fixed' ? [{ value: 'fixed', label: 'Decided by others' }, ...choices] : choices}
        allowDeselect={false}
        data-autofocus
        {...form.getInputProps('startType')}
      />
    </FormDialog>
  )
}
