import { Checkbox, Group, Select, Switch, TextInput } from '@mantine/core'
import '@mantine/core/styles/Switch.css'
import { platformName } from '@muster/rules/agents/available-actions'
import classes from './TaskFields.module.css'
import { Section } from './Section.tsx'
import type { TaskFieldsProps } from './form-props.ts'
import { ALL_PLATFORMS } from './task-place.ts'

const SEVERITIES = [
  { value: 'info', label: 'Info' },
  { value: 'warning', label: 'Warning' },
  { value: 'error', label: 'Error' },
]

export function GeneralFields({ agent, form }: TaskFieldsProps) {
  return (
    <Section title="Task">
      <div className={classes.pair}>
        <TextInput
          label="Name"
          maxLength={255}
          autoComplete="off"
          dir="auto"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Select
          label="Alert when a run fails"
          data={SEVERITIES}
          allowDeselect={false}
          {...form.getInputProps('alert_severity')}
        />
      </div>
      {agent.agent_id === null && (
        <Checkbox.Group label="On machines with" {...form.getInputProps('task_supported_platforms')}>
          <Group gap="sm" mt="xs">
            {ALL_PLATFORMS.map((platform) => (
              <Checkbox key={platform} value={platform} label={platformName(platform)} size="xs" />
            ))}
          </Group>
        </Checkbox.Group>
      )}
      <Switch label="Enabled" {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </Section>
  )
}
