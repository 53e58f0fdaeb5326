import { Select, Switch, TextInput } from '@mantine/core'
import '@mantine/core/styles/Switch.css'
import classes from './TaskFields.module.css'
import { Section } from './Section.tsx'
import type { TaskFieldsProps } from './form-props.ts'

const SEVERITIES = [
  { value: 'info', label: 'Info' },
  { value: 'warning', label: 'Warning' },
  { value: 'error', label: 'Error' },
]

export function GeneralFields({ form }: Pick<TaskFieldsProps, 'form'>) {
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
      <Switch label="Switched on" {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </Section>
  )
}
