import { Checkbox, Group, Select, Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { RemoteRules } from '@muster/rules/remote-rules'
import { WEEKDAYS } from '../maintenance/schedule-words.ts'
import { type AccessForm, accessChoices } from './access-form.ts'

interface AccessFieldsProps {
  form: UseFormReturnType<AccessForm>
  inherited: RemoteRules
  /** Nothing stands above it. */
  isTop: boolean
}

export function AccessFields({ form, inherited, isTop }: AccessFieldsProps) {
  const choices = accessChoices(inherited, isTop)
  const { hours } = form.values
  return (
    <Stack gap="md">
      <Select
        label="Remote tools"
        description="Terminal, desktop, files, and changing processes and services. Commands and scripts are not meant."
        data={choices.forbidden}
        allowDeselect={false}
        data-autofocus
        {...form.getInputProps('forbidden')}
      />
      <Select
        label="Hours"
        description="By the clock and the time zone of each machine. What is open ends with them."
        data={choices.hours}
        allowDeselect={false}
        {...form.getInputProps('hours')}
      />
      {hours === 'hours' && (
        <>
          <Checkbox.Group label="On" {...form.getInputProps('weekdays')}>
            <Group gap="sm" mt="xs">
              {WEEKDAYS.map(({ value, label }) => (
                <Checkbox key={value} value={value} label={label} size="xs" />
              ))}
            </Group>
          </Checkbox.Group>
          <Group gap="md" grow align="flex-start">
            <TextInput type="time" label="From" {...form.getInputProps('from')} />
            <TextInput
              type="time"
              label="To"
              description={form.values.to < form.values.from ? 'Of the next day' : undefined}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              {...form.getInputProps('to')}
            />
          </Group>
        </>
      )}
    </Stack>
  )
}
