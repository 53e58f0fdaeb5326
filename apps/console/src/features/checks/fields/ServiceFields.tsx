import { Checkbox, Stack, TextInput } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { FIELD_LABELS } from '../field-labels.ts'
import { type FieldsProps, MachineText, SeverityChoice } from './FieldParts.tsx'

const KINDS: Record<AgentDetail['plat'], { description: string; placeholder: string }> = {
  linux: { description: 'Name of a systemd unit', placeholder: 'ssh.service' },
  windows: { description: 'Service name, not the display name', placeholder: 'Spooler' },
  darwin: { description: 'Label of a launchd job', placeholder: 'com.openssh.sshd' },
}
const SWITCHES = ['restart_if_stopped', 'pass_if_start_pending', 'pass_if_svc_not_exist'] as const

export function ServiceFields({ agent, form }: FieldsProps) {
  return (
    <>
      <MachineText form={form} name="svc_name" {...KINDS[agent.plat ?? 'linux']} autoFocus />
      <TextInput
        label={FIELD_LABELS.svc_display_name}
        description="Optional. Shown instead of the service name."
        maxLength={255}
        {...form.getInputProps('svc_display_name')}
      />
      <Stack gap="sm">
        {SWITCHES.map((name) => (
          <Checkbox
            key={name}
            label={FIELD_LABELS[name]}
            {...form.getInputProps(name, { type: 'checkbox' })}
          />
        ))}
      </Stack>
      <SeverityChoice form={form} />
    </>
  )
}
